/** A decoded part of an address; a part with a wrong encoding is used unchanged. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
