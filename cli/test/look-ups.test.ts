import { afterAll, beforeAll, expect, it } from 'vitest';
import { startFakeStack, type FakeStack } from './support/fake-stack.ts';
import { golden } from './support/golden.ts';
import { writeOperatorProgram } from './support/operator-answers.ts';
import { runInProcess } from './support/run-in-process.ts';

const id = (last: number): string => `019a8c7e-0000-7000-8000-${String(last).padStart(12, '0')}`;
const at = '2026-11-21T09:00:00.000Z';

const row = {
  id: id(1),
  action: 'admin.sign_in',
  outcome: 'DONE',
  actorApi: 'admin',
  actorId: id(2),
  actorRole: 'ADMIN',
  targetType: null,
  targetId: null,
  requestId: id(3),
  at,
};

const answers = {
  'migrate status': {
    pending: [
      '20270115171200_stock_and_cash',
      '20270115172000_reconciliation_runs',
      '20270115172100_month_end_reopening',
    ],
    failed: [{ name: '29991231000000_newer', startedAt: at, reason: null }],
  },
  'database rules': {
    rules: 41,
    broken: [
      { invariant: 'G1', says: 'a holding is the sum of its movements', row: { id: id(4) } },
    ],
  },
  'keys status': {
    items: [
      { kind: 'admin', keyId: 'k2', count: 3 },
      { kind: 'mpin', keyId: null, count: 1 },
      { kind: 'phone', keyId: 'b1', count: 12 },
    ],
    coolDownsUntil: at,
  },
  'keyring status': { keyId: 'k2', outdated: { dataKeys: 4, tickets: 0 } },
  'price ticks': { items: [{ seq: '7', mark: at, asOf: at, ageSeconds: 12 }] },
  'debit list': {
    items: [
      {
        paymentOrderId: id(5),
        orderId: id(6),
        gateway: 'razorpay',
        gatewayOrderId: 'order_1',
        debitStatus: 'UNKNOWN',
        dueAt: at,
        sentAt: at,
        askedAt: null,
        expiresAt: at,
      },
    ],
  },
  'codes addresses': { items: [{ address: '192.0.2.1', count: 40 }] },
  'audit entry --number 7': { number: '7', hash: 'ab'.repeat(32), metric: '3018', row },
  [`audit row --id ${id(1)}`]: row,
};

let stack: FakeStack;
beforeAll(async () => {
  stack = await startFakeStack();
  writeOperatorProgram(stack.repository, answers);
});
afterAll(() => stack.close());

const goldctl = (args: readonly string[]) =>
  runInProcess(args, { repository: stack.repository, env: stack.env });

it.each([
  ['database-status', ['database', 'status'], 0],
  ['database-rules', ['database', 'rules'], 3],
  ['migrate-status', ['migrate', 'status'], 3],
  ['keys-status', ['keys', 'status'], 0],
  ['keys-keyring', ['keys', 'keyring'], 0],
  ['price-ticks', ['price', 'ticks'], 0],
  ['debit-list', ['debit', 'list'], 0],
  ['codes-addresses', ['codes', 'addresses'], 0],
  ['audit-entry', ['audit', 'entry', '7'], 0],
  ['audit-row', ['audit', 'row', id(1)], 0],
])('%s is shown as a table and as JSON', async (name, args, code) => {
  const table = await goldctl(args);
  expect(table).toMatchObject({ code, stdout: golden(`${name}.txt`, table.stdout) });
  const json = await goldctl([...args, '-o', 'json']);
  expect(json).toMatchObject({ code, stdout: golden(`${name}.json`, json.stdout) });
});

it('says that there is none, and takes no other form of a number', async () => {
  const none = await goldctl(['audit', 'entry', '8']);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('(NOT_FOUND)');
  expect(await goldctl(['audit', 'entry', '0'])).toMatchObject({ code: 2, stdout: '' });
});
