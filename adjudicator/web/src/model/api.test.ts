import { expect, test } from 'vitest';
import { source } from '../../decoders.mjs';
import text from './api.ts?raw';

test('the decoders are those of the description: `node decoders.mjs` writes them again', () => {
  expect(text).toBe(source());
});
