import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Sender } from './sender';
import { TdError, getText, upload } from './server';
import { type Heard, TdStream } from './stream';
import { object, string } from '../../model/decode';

const MINUTE_MS = 60_000;
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** A device that keeps what it is given, and a server that answers so. */
function answers(answer: (path: string) => Response): string[] {
  const kept = new Map<string, string>();
  const asked: string[] = [];
  vi.stubGlobal('localStorage', { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  vi.stubGlobal('window', { addEventListener: vi.fn(), removeEventListener: vi.fn(), setTimeout: vi.fn(), setInterval: vi.fn(), clearTimeout: vi.fn(), clearInterval: vi.fn() });
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return answer(path);
  });
  return asked;
}

const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 5_000, interval: 1 });

describe('the directors’ way to the server', () => {
  beforeEach(() => void vi.spyOn(AbortSignal, 'timeout'));
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it('waits for an organiser’s file as long as the server does', async () => {
    answers(() => json({ name: 'x' }));
    await upload('/file', new Blob(['a,b']), object({ name: string }));
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(5 * MINUTE_MS);
  });

  it('takes no refusal for a file', async () => {
    answers(() => json({ error: 'no session' }, 401));
    await expect(getText('/api/v1/td/results.csv')).rejects.toThrow(TdError);
    answers(() => new Response('section\n'));
    expect(await getText('/api/v1/td/results.csv')).toBe('section\n');
  });

  it('reports a stream in words of another release', async () => {
    answers(() => new Response('event: needs\ndata: {"now_ms":1,"needs":"none"}\n\n'));
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const heard = { needs: vi.fn(), match: vi.fn(), beat: vi.fn(), others: vi.fn(), broken: vi.fn(), lost: vi.fn(), otherRelease: vi.fn() } satisfies Heard;
    const stream = new TdStream(null, heard);
    await until(() => heard.broken.mock.calls.length > 0);
    expect(heard.otherRelease).toHaveBeenCalledOnce();
    stream.close();
  });

  it('sends the next act after an answer in words of another release', async () => {
    const asked = answers(() => json({ done: 'so' }));
    const outcomes: (boolean | undefined)[] = [];
    const sender = new Sender(() => undefined, ({ isOtherRelease }) => outcomes.push(isOtherRelease), () => undefined);
    sender.act({ of: 'take' }, 'first');
    sender.act({ of: 'take' }, 'second');
    await until(() => outcomes.length === 2);
    expect(outcomes).toEqual([true, true]);
    expect(asked).toHaveLength(2);
    sender.close();
  });
});
