import { listDebitGateways, listUsableGateways } from '../payments/index.ts';
import type { UsableGateways } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';

/**
 * Returns the gateways that can be used for installments now. Returns undefined while the buy gate is
 * closed. Every plan then waits (contract: plans > Schedule).
 */
export const findUsableGateways = async ({
  gates,
  payments,
}: Pick<PlansDeps, 'gates' | 'payments'>): Promise<UsableGateways | undefined> => {
  if (!(await gates.isBuyOpen())) return undefined;
  const [checkout] = await listUsableGateways(payments);
  return { checkout, debits: await listDebitGateways(payments) };
};
