import { chooseGateway, listUsableGateways } from './choose-gateway.ts';

type ChoiceDeps = Parameters<typeof chooseGateway>[0];

/** Leaves only the gateways that can debit a mandate to choose from. */
const withDebits = (deps: ChoiceDeps): ChoiceDeps => ({
  ...deps,
  gateways: new Map(
    [...deps.gateways].filter(([, gateway]) => typeof gateway.debitMandate === 'function'),
  ),
});

/**
 * Chooses the gateway of a new mandate: as for a payment order, among those that can debit one.
 * @throws AppError NO_USABLE_GATEWAY
 */
export const chooseDebitGateway = (deps: ChoiceDeps): Promise<string> =>
  chooseGateway(withDebits(deps));

/**
 * Lists the gateways that can debit a mandate now. A mandate is good at its own gateway alone, so
 * while that one is not listed its debits wait.
 */
export const listDebitGateways = async (deps: ChoiceDeps): Promise<string[]> => {
  const { gateways } = withDebits(deps);
  const usable: string[] = [];
  for (const only of gateways.keys()) usable.push(...(await listUsableGateways(deps, { only })));
  return usable;
};
