import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  readGatewaySettings,
  settingOf,
  type GatewayRouting,
  type GatewaySettings,
} from './gateway-settings.store.ts';
import type { PaymentMethod, GatewaysByCode, PaymentsDeps } from './payments.types.ts';

export interface GatewayCriteria {
  /** The gateway that the customer chose. It precedes every setting of operators. */
  readonly preferred?: string | undefined;
  /** The gateway that holds the customer's mandate. No other gateway can debit it. */
  readonly only?: string | undefined;
  readonly method?: PaymentMethod | undefined;
}

/**
 * Returns the operators' default gateway if it is configured, else the first configured gateway.
 */
export const defaultGatewayOf = (
  gateways: GatewaysByCode,
  { defaultCode }: GatewayRouting,
): string | undefined => {
  if (defaultCode !== null && gateways.has(defaultCode)) return defaultCode;
  return gateways.keys().next().value;
};

interface Choice {
  readonly gateways: GatewaysByCode;
  /** Skips gateways in mode `test`, because they take no real money. */
  readonly liveOnly: boolean;
  readonly settings: GatewaySettings;
}

const isUsable = ({ gateways, liveOnly, settings }: Choice, code: string): boolean => {
  const gateway = gateways.get(code);
  const { enabled, mode } = settingOf(settings, code);
  return gateway?.isAvailable() === true && enabled && (mode === 'live' || !liveOnly);
};

/**
 * Lists the usable gateways in the order of choice: explicit preference, the instrument's route,
 * the priority list, the default (contract: payments-and-webhooks > Choice of gateway). Leaves out
 * every gateway that is disabled, has no credentials, is in the wrong mode or has an open circuit,
 * so that it is not used as a fallback either.
 */
export const listUsable = (
  choice: Choice,
  { preferred, only, method }: GatewayCriteria,
): string[] => {
  const { gateways, settings } = choice;
  const { routing } = settings;
  const candidates =
    only === undefined
      ? [
          preferred,
          method === undefined ? undefined : routing.routes[method],
          ...routing.priority,
          defaultGatewayOf(gateways, routing),
        ]
      : [only];
  const codes = new Set(candidates.filter((code) => code !== undefined));
  return [...codes].filter((code) => isUsable(choice, code));
};

type ChoiceDeps = Pick<PaymentsDeps, 'gateways' | 'liveOnly'> & { readonly db: Db };

/**
 * Lists the gateways that may be used now, in the order of choice. Reads the settings on each call,
 * so that an operator's change takes effect on every replica at its next choice.
 */
export const listUsableGateways = async (
  { db, gateways, liveOnly }: ChoiceDeps,
  criteria: GatewayCriteria = {},
): Promise<string[]> =>
  listUsable({ gateways, liveOnly, settings: await readGatewaySettings(db) }, criteria);

/**
 * Lists the gateways that may be used, from settings that the caller has read.
 * @throws AppError NO_USABLE_GATEWAY if there is none
 */
export const requireUsableGateways = (
  { gateways, liveOnly }: Pick<PaymentsDeps, 'gateways' | 'liveOnly'>,
  settings: GatewaySettings,
  criteria: GatewayCriteria,
): readonly [string, ...string[]] => {
  const [first, ...others] = listUsable({ gateways, liveOnly, settings }, criteria);
  if (first === undefined) throw new AppError('NO_USABLE_GATEWAY');
  return [first, ...others];
};

/**
 * Chooses the gateway of a new payment order.
 * @throws AppError NO_USABLE_GATEWAY
 */
export const chooseGateway = async (
  deps: ChoiceDeps,
  criteria: GatewayCriteria = {},
): Promise<string> => {
  const [chosen] = await listUsableGateways(deps, criteria);
  if (chosen === undefined) throw new AppError('NO_USABLE_GATEWAY');
  return chosen;
};

/**
 * Returns the gateway of the webhook path without a code. The gateway may be disabled, because it
 * can still report payments.
 */
export const defaultGateway = async ({
  db,
  gateways,
}: Pick<ChoiceDeps, 'db' | 'gateways'>): Promise<string | undefined> =>
  defaultGatewayOf(gateways, (await readGatewaySettings(db)).routing);

/** Returns the dependencies with only the gateways that can debit a mandate. */
const withDebitGateways = (deps: ChoiceDeps): ChoiceDeps => ({
  ...deps,
  gateways: new Map(
    [...deps.gateways].filter(([, gateway]) => typeof gateway.debitMandate === 'function'),
  ),
});

/**
 * Chooses the gateway of a new mandate. It follows the rules for a payment order, among the
 * gateways that can debit mandates.
 * @throws AppError NO_USABLE_GATEWAY
 */
export const chooseDebitGateway = (deps: ChoiceDeps): Promise<string> =>
  chooseGateway(withDebitGateways(deps));

/**
 * Lists the gateways that can debit a mandate now. A mandate is valid only at the gateway that
 * issued it, so its debits wait while that gateway is not listed.
 */
export const listDebitGateways = async (deps: ChoiceDeps): Promise<string[]> => {
  const { gateways } = withDebitGateways(deps);
  const usable: string[] = [];
  for (const only of gateways.keys()) usable.push(...(await listUsableGateways(deps, { only })));
  return usable;
};
