/** Reads an event stream that was fetched: `EventSource` cannot send the key of a device. */

export interface SentEvent {
  readonly name: string;
  readonly data: string;
}

/** The whole events of a text, and what is left of one that has not come to its end. */
export function parseEvents(text: string): { readonly events: readonly SentEvent[]; readonly rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.flatMap((block) => {
    let name = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    return data.length === 0 ? [] : [{ name, data: data.join('\n') }];
  });
  return { events, rest };
}
