import { expect, it } from 'vitest';
import { createSystemClock } from '../../../platform/clock/clock.ts';
import { createLogger } from '../../../platform/observability/index.ts';
import { createObjectStore } from '../create-object-store.ts';

it('a store that is switched off refuses objects, finds none, and deletes none', async () => {
  const store = createObjectStore(
    { OBJECT_STORE: 'none' },
    { clock: createSystemClock(), logger: createLogger({ level: 'silent', name: 'test' }) },
  );
  const key = 'kyc/user-1/document.bin';
  expect(await store.put(key, Buffer.from('x'), 'image/png')).toMatchObject({
    kind: 'refused',
    code: 'NO_OBJECT_STORE',
  });
  expect(await store.get(key)).toEqual({ kind: 'done', value: undefined });
  expect(await store.head(key)).toEqual({ kind: 'done', value: undefined });
  expect(await store.delete(key)).toEqual({ kind: 'done', value: undefined });
});
