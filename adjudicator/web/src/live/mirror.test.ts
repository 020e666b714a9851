import { describe, expect, it } from 'vitest';
import { copyOf, unpacked } from './mirror';

describe('a copy on a plain web host', () => {
  it('has one file for each address and query', () => {
    expect(copyOf('/api/v1/round')).toBe('/api/v1/round.json.gz');
    expect(copyOf('/api/v1/matches/m-1')).toBe('/api/v1/matches/m-2d1.json.gz');
    expect(copyOf('/api/v1/standings?section=K%2F3%20%C3%A9&after=2')).toBe('/api/v1/standings/K-2f3-20-c3-a9/2.json.gz');
  });

  it('is read whether or not the host unpacks it', async () => {
    const text = JSON.stringify({ name: 'é' });
    expect(await unpacked(new Response(text))).toEqual({ name: 'é' });
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
    expect(await unpacked(new Response(packed))).toEqual({ name: 'é' });
  });
});
