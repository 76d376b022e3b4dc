import type { UsableGateways } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';

/**
 * Returns the gateways that installments can be raised with now, undefined while gate 2 is closed:
 * then every plan waits (contract: plans > Schedule).
 */
export const findUsableGateways = async ({
  gates,
  payments,
}: Pick<PlansDeps, 'gates' | 'payments'>): Promise<UsableGateways | undefined> => {
  if (!(await gates.isBuyOpen())) return undefined;
  const [checkout] = await payments.listUsableGateways();
  return { checkout, debits: await payments.listDebitGateways() };
};
