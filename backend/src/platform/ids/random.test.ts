import { describe, expect, it } from 'vitest';
import { version } from 'uuid';
import { createUuids } from './random.ts';

describe('createUuids', () => {
  it('makes ids of version 7 that are all different and rise as they are made', () => {
    const next = createUuids();
    const ids = Array.from({ length: 5000 }, next);
    expect(ids.every((id) => version(id) === 7)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('puts the real time first', () => {
    const before = performance.timeOrigin + performance.now();
    const [high = '', low = ''] = createUuids()().split('-');
    const madeAt = parseInt(high + low, 16);
    expect(Math.abs(madeAt - before)).toBeLessThan(5000);
  });
});
