/** The whole file `src/model/api.ts`, as the description has it. */
export function source(): string;
