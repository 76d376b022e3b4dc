import { describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { createSemaphore } from './semaphore.ts';

describe('semaphore', () => {
  it('lets in so many and no more, in the order of asking', async () => {
    const places = createSemaphore(2);
    const gates = [createGate(), createGate(), createGate()];
    const entered: number[] = [];
    const work = gates.map((gate, n) =>
      places.run(async () => {
        entered.push(n);
        await gate.opened;
      }),
    );
    await Promise.resolve();
    expect(entered).toEqual([0, 1]);
    gates[1]?.open();
    await work[1];
    await eventually(() => expect(entered).toEqual([0, 1, 2]));
    gates[0]?.open();
    gates[2]?.open();
    await Promise.all(work);
  });

  it('gives a place to those that go first before the others', async () => {
    const places = createSemaphore(1);
    const gate = createGate();
    const entered: string[] = [];
    const enter = (name: string, goesFirst: boolean) =>
      places.run(async () => void entered.push(name), undefined, goesFirst);
    const holding = places.run(() => gate.opened);
    const waiting = [enter('a', false), enter('b', false), enter('known', true)];
    expect(places.waiting).toBe(3);
    gate.open();
    await holding;
    await Promise.all(waiting);
    expect(entered).toEqual(['known', 'a', 'b']);
  });

  it('frees the place when the work fails', async () => {
    const places = createSemaphore(1);
    const failed = places.run(() => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
    expect(await places.run(async () => 'next')).toBe('next');
  });
});
