import { z } from 'zod';
import { formatGrams, toSafePaise } from '../../money/index.ts';
import { exampleOf, idInput, pageOf, pageQuery, rangeQuery } from '../../platform/http/index.ts';
import {
  transactionKinds,
  type OperatorTransaction,
  type Transaction,
} from './transactions.types.ts';

/** One row of the feed (contract: customers > Transactions). */
const transactionView = z.object({
  id: z.uuid(),
  kind: z.enum(transactionKinds),
  status: z
    .string()
    .describe('A status of the kind: that of a gold order, a product order or a payout.'),
  amountPaise: z.int().min(0),
  grams: z
    .string()
    .regex(/^\d{1,12}\.\d{4,8}$/u)
    .nullable()
    .describe('The grams of gold. Null if the kind has none, and until they are known.'),
  createdAt: z.iso.datetime(),
});
transactionView.register(z.globalRegistry, {
  id: 'Transaction',
  description: 'A gold order, a product order or a payout in the feed of a customer.',
  examples: [
    {
      id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      kind: 'GOLD_BUY',
      status: 'ALLOCATED',
      amountPaise: 100_050,
      grams: '0.0668',
      createdAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const transactionPage = pageOf(transactionView);

export const presentTransaction = (row: Transaction): z.output<typeof transactionView> => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  amountPaise: toSafePaise(row.amountPaise),
  grams: row.grams === null ? null : formatGrams(row.grams),
  createdAt: row.createdAt.toISOString(),
});

export const operatorFeedQuery = pageQuery.extend({
  kind: z.enum(transactionKinds).optional(),
  status: z
    .string()
    .regex(/^[A-Z_]{1,40}$/u, 'must be a state, such as ALLOCATED')
    .optional(),
  userId: idInput.optional(),
  ...rangeQuery,
});

const operatorTransactionView = transactionView.extend({ userId: z.uuid() });
operatorTransactionView.register(z.globalRegistry, {
  id: 'OperatorTransaction',
  description: 'A gold order, a product order or a payout of any customer.',
  examples: [{ ...exampleOf(transactionView), userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11' }],
});

export const operatorTransactionPage = pageOf(operatorTransactionView);

export const presentOperatorTransaction = (row: OperatorTransaction) => ({
  ...presentTransaction(row),
  userId: row.userId,
});
