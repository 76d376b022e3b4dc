import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createReconciliation } from './index.ts';

let books: OpenBooks;
beforeAll(async () => {
  books = await openBooks();
});
afterEach(() => books.control('DELETE', '/faults'));
afterAll(() => books.close());

const asking = [
  'gateway_capture_missing',
  'provider_transaction_mismatch',
  'payout_stuck',
] as const;

/** Returns the status of each check whose status is not OK. */
const notOk = async (): Promise<Record<string, string>> => {
  const checks = await books.freshChecks();
  return Object.fromEntries(
    [...checks.values()]
      .filter(({ status }) => status !== 'OK')
      .map(({ id, status }) => [id, status]),
  );
};

/** Makes every further call of a collaborator fail by a fault. */
const silence = (collaborator: string, fault = 'error', operation = '*') =>
  books.control('POST', '/faults', { collaborator, operation, fault, times: 1000 });

describe('the reconciliation of empty books', () => {
  it('queries the collaborators nevertheless', async () => {
    expect(await notOk()).toEqual({});
    for (const collaborator of ['sandbox-gateway', 'safegold', 'razorpayx']) {
      await silence(collaborator);
    }
    expect(await notOk()).toEqual(Object.fromEntries(asking.map((id) => [id, 'ERROR'])));
    const { body } = await books.report();
    expect(body['summary']).toEqual({ ok: 10, findings: 0, errors: 3 });
  });

  it('has ERROR for payouts if no payout provider is configured', async () => {
    const { payoutProvider: _, ...deps } = books.deps;
    const { checks } = await createReconciliation(deps).report(72);
    expect(checks.filter(({ status }) => status === 'ERROR')).toMatchObject([
      { id: 'payout_stuck', detail: 'no payout provider is configured' },
    ]);
  });
});

describe('a collaborator that does not answer', () => {
  beforeAll(async () => {
    await books.buy();
    await books.sell();
  });

  it.each([
    ['sandbox-gateway', 'error', 'gateway_capture_missing'],
    ['sandbox-gateway', 'malformed', 'gateway_capture_missing'],
    ['safegold', 'reset', 'provider_transaction_mismatch'],
    ['razorpayx', 'error', 'payout_stuck'],
  ])('is an error of its check: %s, %s', async (collaborator, fault, id) => {
    await silence(collaborator, fault);
    expect(await notOk()).toEqual({ [id]: 'ERROR' });
  });

  it.each(['list-payments', 'get-refund', 'get-dispute'])(
    'has not said that it has nothing where it refuses the question: %s',
    async (operation) => {
      await books.control('POST', '/faults', {
        collaborator: 'sandbox-gateway',
        operation,
        fault: 'error',
        status: 400,
        times: 1000,
      });
      expect(await notOk()).toEqual({ gateway_capture_missing: 'ERROR' });
    },
  );

  it.each([
    ['safegold', 'buy-status', 'provider_transaction_mismatch'],
    ['safegold', 'sell-status', 'provider_transaction_mismatch'],
    ['safegold', 'get-user', 'provider_transaction_mismatch'],
    ['sandbox-gateway', 'list-payments', 'gateway_capture_missing'],
    ['razorpayx', 'list-payouts', 'payout_stuck'],
  ])('also when only a part of it fails: %s, %s', async (collaborator, operation, id) => {
    await silence(collaborator, 'error', operation);
    expect(await notOk()).toEqual({ [id]: 'ERROR' });
    const failed = [...(await books.freshChecks()).values()].find((check) => check.id === id);
    expect(failed?.detail).toMatch(/^[a-z]+ gave no answer: HTTP_500/u);
  });

  it('does not hide the findings that were made before', async () => {
    const { orderId, txId } = await books.buy();
    await books.control('POST', `/transactions/${txId}`, { status: 2 });
    await silence('safegold', 'error', 'get-user');
    expect((await books.freshChecks()).get('provider_transaction_mismatch')).toMatchObject({
      status: 'ERROR',
      count: 1,
      samples: [{ orderId }],
    });
    await books.control('POST', `/transactions/${txId}`, { status: 1 });
  });
});
