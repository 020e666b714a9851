/** The files that are written from the description, by their paths. */
export const FILES: Record<string, unknown>;
/** A file as the description has it. */
export function source(file: string): string;
