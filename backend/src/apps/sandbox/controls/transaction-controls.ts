import type { Router } from 'express';
import { z } from 'zod';
import { formatDecimal } from '../../../money/index.ts';
import { AppError } from '../../../platform/errors/app-error.ts';
import type { Transaction } from '../collaborators/safegold/safegold-store.ts';
import { control, controlBody, controlQuery, countQuery } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const statusSchema = z.object({
  status: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
});

/** Presents a transaction of the gold provider. Grams are text, and amounts are in paise. */
export const transactionView = (transaction: Transaction) => ({
  txId: transaction.id,
  side: transaction.side,
  userId: transaction.userId,
  grams: formatDecimal(transaction.weight, 4),
  amountPaise: transaction.amountPaise,
  ratePaise: transaction.ratePaise,
  status: transaction.status,
  invoiceId: transaction.invoiceId,
  verifiedAt: new Date(transaction.verifiedAtMs).toISOString(),
});

/**
 * Adds `/_control/transactions`, which lists the gold provider's transactions and sets their
 * status.
 */
export const transactionControls = (router: Router, parts: SandboxParts): void => {
  const { safegoldStore, changed } = parts;
  router.get(
    '/transactions',
    control((req) => {
      const { limit } = controlQuery(req, countQuery);
      return { body: { items: safegoldStore.newestTransactions(limit).map(transactionView) } };
    }),
  );
  router.post(
    '/transactions/:txId',
    control((req) => {
      const { status } = controlBody(req, statusSchema);
      const transaction = safegoldStore.transaction(String(req.params['txId']));
      if (transaction === undefined) throw new AppError('NOT_FOUND');
      const updated = { ...transaction, status };
      safegoldStore.replaceTransaction(updated);
      changed();
      return { body: transactionView(updated) };
    }),
  );
};
