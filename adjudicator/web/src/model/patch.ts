/** JSON Merge Patches (RFC 7396): what of a thing has changed. */

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `value` after a patch: members that the patch lacks stay, and those that are null in it are removed. */
export function patched(value: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch;
  const merged: Record<string, unknown> = isMembers(value) ? { ...value } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) delete merged[name];
    else merged[name] = patched(merged[name], change);
  }
  return merged;
}
