import { expect, it } from 'vitest';
import { expectedStatuses } from './apis.ts';

it.each([
  ['/healthz', [200, 404]],
  ['/readyz', [200, 404]],
  ['/metrics', [200, 404]],
  ['/v1/metrics', [200, 404]],
  ['/v1/health', [200]],
  ['/api/v1/accounting/health', [200]],
])('has no %s at a proxy where that is for the inside', (path, statuses) => {
  expect(expectedStatuses({ path, status: 200 }, { hop: 'real' })).toEqual(statuses);
  expect(expectedStatuses({ path, status: 200 }, { hop: 'played' })).toEqual([200]);
});
