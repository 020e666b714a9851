import { expect, it } from 'vitest';
import { parseEvents } from './sse';

it('reads whole events and keeps the beginning of the next', () => {
  const { events, rest } = parseEvents(': hello\n\nevent: needs\ndata: {"a":\ndata: 1}\n\nevent: beat\nda');
  expect(events).toEqual([{ name: 'needs', data: '{"a":\n1}' }]);
  expect(parseEvents(`${rest}ta: {}\n\n`).events).toEqual([{ name: 'beat', data: '{}' }]);
});
