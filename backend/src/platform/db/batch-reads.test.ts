import { expect, it } from 'vitest';
import { batchReads } from './batch-reads.ts';

/** Reads that end when they are told to, in the order in which they began. */
const openReads = () => {
  const pending: { end(): void; fail(error: Error): void }[] = [];
  let begun = 0;
  const read = async (): Promise<number> => {
    begun += 1;
    const number = begun;
    await new Promise<void>((resolve, reject) => {
      pending.push({ end: resolve, fail: reject });
    });
    return number;
  };
  return { read: batchReads(read), pending, begun: () => begun };
};

it('a batch reads once for all who ask while a read is under way, after it', async () => {
  const { read, pending, begun } = openReads();
  const first = read();
  const later = [read(), read(), read()];
  expect(begun()).toBe(1);
  pending[0]?.end();
  expect(await first).toBe(1);
  expect(begun()).toBe(2);
  pending[1]?.end();
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

it('a batch reads again for a caller who comes when no read is under way', async () => {
  const { read, pending } = openReads();
  const first = read();
  pending[0]?.end();
  await first;
  const second = read();
  pending[1]?.end();
  expect(await second).toBe(2);
});

it('a batch fails the callers who waited for the read that failed, and no others', async () => {
  const { read, pending } = openReads();
  const first = read();
  const second = read();
  pending[0]?.fail(new Error('cut off'));
  await expect(first).rejects.toThrow('cut off');
  pending[1]?.end();
  expect(await second).toBe(2);
});
