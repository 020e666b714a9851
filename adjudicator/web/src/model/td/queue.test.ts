import { describe, expect, it } from 'vitest';
import { OTHER_RELEASE, type Queue, WAITING_MAX, answered, enqueued, isAskedAgain, isOf, isOfTheServer, newKey, restored, waited } from './queue';

const act = (key: string) => ({ key, deed: { of: 'take', item: key }, label: key, made_ms: 1_000, by: 'Ann' });

describe('the queue of acts', () => {
  it('keeps acts in their order until the server has answered each', () => {
    const queue = enqueued(enqueued([], act('a')), act('b'));
    expect(answered(queue, 'a')).toEqual([act('b')]);
    expect(answered(queue, 'another')).toEqual(queue);
  });

  it('survives a reload, and begins anew where nothing readable was kept', () => {
    const queue = enqueued([], act('a'));
    expect(restored(JSON.stringify(queue))).toEqual(queue);
    for (const text of [null, '', '{', '{"next":1}', '[1,null]']) expect(restored(text)).toEqual([]);
  });

  it('is bounded', () => {
    let queue: Queue = [];
    for (let index = 0; index < WAITING_MAX + 5; index += 1) queue = enqueued(queue, act(String(index)));
    expect(queue).toHaveLength(WAITING_MAX);
  });

  it('keeps no act that was answered, even in words of another release', () => {
    expect(isAskedAgain(OTHER_RELEASE)).toBe(false);
    expect(isAskedAgain(0)).toBe(true);
  });

  it('says how long an act has waited, and nothing where a clock was set back or nothing is known', () => {
    expect(waited(act('a'), 121_000)).toBe(120_000);
    expect(waited(act('a'), 500)).toBe(0);
    const [older] = restored('[{"key":"a","deed":{},"label":"a"}]');
    expect(older !== undefined && waited(older, 5_000)).toBe(0);
  });

  it('has nothing of one director sent in the name of another who has the phone now', () => {
    expect(isOf(act('a'), 'Ann')).toBe(true);
    expect(isOf(act('a'), 'Flo')).toBe(false);
    const [older] = restored('[{"key":"a","deed":{},"label":"a"}]');
    expect(older !== undefined && isOf(older, 'Flo'), 'nothing is known').toBe(true);
  });

  it('keeps an act that the server could not take by now, and lets go one that it refused', () => {
    for (const status of [0, 408, 429, 500, 503]) expect(isAskedAgain(status), String(status)).toBe(true);
    for (const status of [400, 403, 409, 413, 422]) expect(isAskedAgain(status), String(status)).toBe(false);
  });

  it('gives every act a key of its own', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{32}$/);
    expect(newKey()).not.toBe(newKey());
  });

  it('takes the page of a network that wants to be logged in to for no answer', () => {
    expect(isOfTheServer('application/json')).toBe(true);
    expect(isOfTheServer('text/plain; charset=utf-8')).toBe(true);
    expect(isOfTheServer('text/html; charset=utf-8')).toBe(false);
    expect(isOfTheServer(null)).toBe(false);
  });
});
