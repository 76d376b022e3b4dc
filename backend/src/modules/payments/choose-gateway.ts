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
  /** The customer's own choice, ahead of everything that operators set. */
  readonly preferred?: string | undefined;
  /** The gateway that holds the customer's mandate: no other one will do. */
  readonly only?: string | undefined;
  readonly method?: PaymentMethod | undefined;
}

/** Returns the operators' default where its adapter is there, else the first one configured. */
export const defaultGatewayOf = (
  gateways: GatewaysByCode,
  { defaultCode }: GatewayRouting,
): string | undefined => {
  if (defaultCode !== null && gateways.has(defaultCode)) return defaultCode;
  return gateways.keys().next().value;
};

interface Choice {
  readonly gateways: GatewaysByCode;
  /** Passes over gateways in mode `test`: what they take is no money. */
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
 * the priority list, the default (contract: payments-and-webhooks > Choice of gateway). Skips a
 * gateway that is disabled, has no credentials, is in the wrong mode or whose circuit is open at
 * every step, so that it is never used as a fallback.
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
  const named = new Set(candidates.filter((code) => code !== undefined));
  return [...named].filter((code) => isUsable(choice, code));
};

type ChoiceDeps = Pick<PaymentsDeps, 'gateways' | 'liveOnly'> & { readonly db: Db };

/**
 * Lists the gateways that may be used now, in the order of choice. The settings are read each time,
 * so that what an operator changes counts on every replica from the next choice on.
 */
export const listUsableGateways = async (
  { db, gateways, liveOnly }: ChoiceDeps,
  wish: GatewayCriteria = {},
): Promise<string[]> =>
  listUsable({ gateways, liveOnly, settings: await readGatewaySettings(db) }, wish);

/**
 * Lists the gateways that may be used, from settings that the caller has read.
 * @throws AppError NO_USABLE_GATEWAY where there is none
 */
export const requireUsableGateways = (
  { gateways, liveOnly }: Pick<PaymentsDeps, 'gateways' | 'liveOnly'>,
  settings: GatewaySettings,
  wish: GatewayCriteria,
): readonly [string, ...string[]] => {
  const [first, ...others] = listUsable({ gateways, liveOnly, settings }, wish);
  if (first === undefined) throw new AppError('NO_USABLE_GATEWAY');
  return [first, ...others];
};

/** Chooses the gateway of a new payment order. @throws AppError NO_USABLE_GATEWAY */
export const chooseGateway = async (
  deps: ChoiceDeps,
  wish: GatewayCriteria = {},
): Promise<string> => {
  const [chosen] = await listUsableGateways(deps, wish);
  if (chosen === undefined) throw new AppError('NO_USABLE_GATEWAY');
  return chosen;
};

/** Returns where the bare webhook path leads. A disabled gateway may still report payments. */
export const defaultGateway = async ({
  db,
  gateways,
}: Pick<ChoiceDeps, 'db' | 'gateways'>): Promise<string | undefined> =>
  defaultGatewayOf(gateways, (await readGatewaySettings(db)).routing);

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
