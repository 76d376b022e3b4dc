import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createGatewayConfigStore, type GatewayRouting } from './gateway-config.store.ts';
import type { PaymentMethod } from './payments.types.ts';

export interface GatewayWish {
  /** The caller's own choice, ahead of everything configured. */
  readonly preferred?: string | undefined;
  readonly method?: PaymentMethod | undefined;
}

/** The gateways with an adapter, by code, in the order of the configuration. */
export type GatewaysByCode = ReadonlyMap<string, PaymentGateway>;

/** The operators' default where its adapter is there, else the first one configured. */
export const defaultGatewayOf = (
  gateways: GatewaysByCode,
  routing: GatewayRouting,
): string | undefined => {
  const { defaultCode } = routing;
  if (defaultCode !== null && gateways.has(defaultCode)) return defaultCode;
  return gateways.keys().next().value;
};

/**
 * The first usable one of: explicit preference, the instrument's route, the priority list, the
 * default (interface, Payments). A gateway that is disabled or has no adapter is passed over
 * wherever it stands, so it is never anybody's fallback.
 */
export const pickGateway = (
  gateways: GatewaysByCode,
  disabled: ReadonlySet<string>,
  routing: GatewayRouting,
  wish: GatewayWish,
): string | undefined => {
  const { preferred, method } = wish;
  const candidates = [
    preferred,
    method === undefined ? undefined : routing.routes[method],
    ...routing.priority,
    defaultGatewayOf(gateways, routing),
  ];
  return candidates.find((code) => code !== undefined && gateways.has(code) && !disabled.has(code));
};

/** @throws AppError NO_USABLE_GATEWAY */
export const createGatewayChoice = (deps: { db: Db; gateways: GatewaysByCode }) => {
  const config = createGatewayConfigStore(deps.db);
  return {
    async chooseGateway(wish: GatewayWish = {}): Promise<string> {
      const { disabled, routing } = await config.read();
      const code = pickGateway(deps.gateways, disabled, routing, wish);
      if (code === undefined) throw new AppError('NO_USABLE_GATEWAY');
      return code;
    },
    /** Where the bare webhook path leads; a disabled gateway may still have something to say. */
    async defaultGateway(): Promise<string | undefined> {
      return defaultGatewayOf(deps.gateways, (await config.read()).routing);
    },
  };
};
