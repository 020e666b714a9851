import { expect, test } from 'vitest';
import { laterLines, supersededWords } from './ledger';

const ruling = { act: 7, kind: 'ruling', supersedes: null };
const withdrawn = { act: 9, kind: 'withdrawn', supersedes: 7 };
const result = { act: 10, kind: 'result', supersedes: 8 };

test('a line that was taken back or replaced does not count any more', () => {
  const later = laterLines([ruling, withdrawn, result]);
  expect(later.get(7)).toBe(withdrawn);
  expect(later.get(9)).toBeUndefined();
  expect(supersededWords(withdrawn)).toBe('taken back');
  expect(supersededWords(result)).toBe('replaced');
});
