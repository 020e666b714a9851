import { describe, expect, it } from 'vitest';
import css from './tokens.css?raw';

const [light, dark] = css.split('@media screen and (prefers-color-scheme: dark)') as [string, string];

function color(part: string, name: string): [number, number, number] {
  const hex = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(part)?.[1];
  if (hex === undefined) throw new Error(`no colour --${name}`);
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
}

/** Relative luminance and contrast ratio as WCAG 2 defines them. */
function luminance(rgb: readonly number[]): number {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: readonly number[], b: readonly number[]): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const TEXT_ON = [
  ['ink', 'ground'],
  ['ink', 'surface'],
  ['ink-soft', 'ground'],
  ['ink-soft', 'surface'],
  ['accent-ink', 'accent'],
  ['alarm-ink', 'alarm'],
  ['alarm', 'surface'],
  ['doubt', 'surface'],
  ['ground', 'ink'],
] as const;

describe.each([
  ['by day', light],
  ['by night', dark],
])('text %s', (_, part) => {
  it.each(TEXT_ON)('%s on %s has the contrast of WCAG AA', (text, ground) => {
    expect(contrast(color(part, text), color(part, ground))).toBeGreaterThanOrEqual(4.5);
  });

  it('has a turn mark that stands out from the ground', () => {
    expect(contrast(color(part, 'accent'), color(part, 'ground'))).toBeGreaterThanOrEqual(3);
  });
});

it('doubt rings stand out from every square by their dots or their halo', () => {
  const [dots, halo] = [[0x4b, 0x25, 0x80], [0xff, 0xfd, 0xf7]];
  for (const name of ['square-light', 'square-dark']) {
    const square = color(light, name);
    expect(Math.max(contrast(dots, square), contrast(halo, square))).toBeGreaterThanOrEqual(3);
  }
});

it('coordinates can be read on their squares', () => {
  expect(contrast(color(light, 'coordinate'), color(light, 'square-light'))).toBeGreaterThanOrEqual(4.5);
  expect(contrast(color(light, 'coordinate'), color(light, 'square-dark'))).toBeGreaterThanOrEqual(4.5);
});
