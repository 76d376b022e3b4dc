import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
} from '../../core/collaborator.ts';
import type { SafegoldStore, Side, Transaction } from './safegold-store.ts';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { blankAnswer, refusal, timeText } from './safegold.wire.ts';

interface ConfirmDeps {
  readonly store: SafegoldStore;
  readonly clock: Clock;
}

/** A confirm must come within ten minutes of its verify (page buy-price-confirm-api). */
const confirmWithinMs = 10 * 60_000;

const codes = {
  buy: { missing: 1, invalidTransaction: 2, mismatch: 3, noUser: 5 },
  sell: { missing: 1, invalidTransaction: 2, mismatch: 3, noUser: 3 },
} as const;
const insufficientCode = 7;

const unknownTransaction: Answer = {
  status: 404,
  body: { code: 1, message: 'Invalid transaction ID' },
};

const find = (
  { store }: ConfirmDeps,
  side: Side,
  id: string | undefined,
): Transaction | undefined => {
  const transaction = store.transaction(id);
  return transaction?.side === side ? transaction : undefined;
};

/**
 * Completes a transaction at the first confirm in time. A later confirm only returns its outcome.
 */
const complete = ({ store, clock }: ConfirmDeps, transaction: Transaction): Answer => {
  if (transaction.status === 2) return blankAnswer;
  if (transaction.status !== 0 && transaction.invoiceId !== null) {
    return okAnswer({ invoice_id: transaction.invoiceId });
  }
  const ageMs = clock.now().getTime() - transaction.verifiedAtMs;
  if (ageMs > confirmWithinMs) {
    store.replaceTransaction({ ...transaction, status: 2 });
    return blankAnswer;
  }
  const { side, userId, weight } = transaction;
  if (side === 'sell' && transaction.status === 0 && store.balanceOf(userId) < weight) {
    return refusal(insufficientCode, 'Insufficient gold balance');
  }
  const invoiceId = `SG-${side === 'buy' ? 'B' : 'S'}-${transaction.id}`;
  const status = transaction.status === 0 ? 1 : transaction.status;
  store.replaceTransaction({ ...transaction, status, invoiceId });
  return okAnswer({ invoice_id: invoiceId });
};

const confirm = (deps: ConfirmDeps, side: Side, { params, body }: Call): Answer => {
  const code = codes[side];
  const id = textOf(fieldsOf(body)['tx_id']);
  if (id === undefined) return refusal(code.missing, 'Missing required information');
  const transaction = find(deps, side, id);
  if (transaction === undefined) {
    return refusal(code.invalidTransaction, 'Invalid transaction ID');
  }
  const user = deps.store.user(params['userId']);
  if (user === undefined) return refusal(code.noUser, 'User ID missing');
  if (transaction.userId !== user.id) {
    return refusal(code.mismatch, 'Vendor ID and user ID mismatch');
  }
  return complete(deps, transaction);
};

const orderStatus = (deps: ConfirmDeps, side: Side, { params }: Call): Answer => {
  const transaction = find(deps, side, params['transactionId']);
  if (transaction === undefined) return unknownTransaction;
  const { status, verifiedAtMs } = transaction;
  return okAnswer({ created_at: timeText(new Date(verifiedAtMs)), status });
};

const invoice = ({ store }: ConfirmDeps, { params, origin }: Call): Answer => {
  const transaction = store.transaction(params['transactionId']);
  if (transaction === undefined || transaction.invoiceId === null || transaction.status === 2) {
    return refusal(1, 'Invalid transaction ID');
  }
  return okAnswer({ link: `${origin}/safegold/invoices/${transaction.invoiceId}.pdf` });
};

/** Serves confirms, order statuses and invoices. A confirm makes a verified transaction final. */
export const confirmOperations = (deps: ConfirmDeps): readonly Operation[] => {
  const bySide = (['buy', 'sell'] as const).flatMap((side): Operation[] => [
    {
      name: `${side}-confirm`,
      method: 'POST',
      path: `/v1/users/:userId/${side}-gold-confirm`,
      handle: (call) => confirm(deps, side, call),
      idempotencyKey: ({ body }) => textOf(fieldsOf(body)['tx_id']),
    },
    {
      name: `${side}-status`,
      method: 'GET',
      path: `/v1/${side}-gold/:transactionId/order-status`,
      handle: (call) => orderStatus(deps, side, call),
    },
  ]);
  return [
    ...bySide,
    {
      name: 'invoice',
      method: 'GET',
      path: '/v1/transactions/:transactionId/fetch-invoice',
      handle: (call) => invoice(deps, call),
    },
  ];
};
