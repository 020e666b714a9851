import { expect, test } from 'vitest';
import { FILES, source } from '../../decoders.mjs';

const texts = import.meta.glob<string>(['./*api.ts', './td/api.ts'], { query: '?raw', import: 'default', eager: true });

test.each(Object.keys(FILES))('%s is that of the description: `node decoders.mjs` writes it again', (file) => {
  expect(texts[file.replace('src/model/', './')]).toBe(source(file));
});
