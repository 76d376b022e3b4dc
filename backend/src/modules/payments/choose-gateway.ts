import { z } from 'zod';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { GatewaysByCode, PaymentMethod, PaymentsDeps } from './payments.types.ts';

export interface GatewayWish {
  /** The caller's own choice, ahead of everything configured. */
  readonly preferred?: string | undefined;
  readonly method?: PaymentMethod | undefined;
}

export interface GatewayRouting {
  readonly defaultCode: string | null;
  readonly priority: readonly string[];
  readonly routes: Readonly<Partial<Record<PaymentMethod, string | undefined>>>;
}

/** The operators' settings of gateways. */
interface GatewaySettings {
  /** A gateway without a row of its own is enabled. */
  readonly disabled: ReadonlySet<string>;
  readonly routing: GatewayRouting;
}

const code = z.string().optional();
const routesSchema = z.object({ upi: code, card: code, netbanking: code, wallet: code }).catch({});

interface SettingsRow {
  readonly default_code: string | null;
  readonly priority: readonly string[] | null;
  readonly routes: unknown;
  readonly disabled: readonly string[];
}

/** Reads both tables in one statement: every buy asks. */
const readSettings = async (db: Db): Promise<GatewaySettings> => {
  const row = await selectOne<SettingsRow>(
    db,
    sql`
    SELECT r.default_code, r.priority, r.routes,
      ARRAY(SELECT code FROM gateway_setting WHERE NOT enabled) AS disabled
    FROM (VALUES (1)) AS one (id) LEFT JOIN gateway_routing r ON r.id = one.id`,
  );
  return {
    disabled: new Set(row?.disabled),
    routing: {
      defaultCode: row?.default_code ?? null,
      priority: row?.priority ?? [],
      routes: routesSchema.parse(row?.routes),
    },
  };
};

/** Returns the operators' default where its adapter is there, else the first one configured. */
export const defaultGatewayOf = (
  gateways: GatewaysByCode,
  { defaultCode }: GatewayRouting,
): string | undefined => {
  if (defaultCode !== null && gateways.has(defaultCode)) return defaultCode;
  return gateways.keys().next().value;
};

/**
 * Returns the first usable one of: explicit preference, the instrument's route, the priority list,
 * the default (contract: payments-and-webhooks > Choice of gateway). A gateway that is disabled or
 * has no adapter is passed over wherever it stands, so it is never anybody's fallback.
 */
export const pickGateway = (
  gateways: GatewaysByCode,
  disabled: ReadonlySet<string>,
  routing: GatewayRouting,
  { preferred, method }: GatewayWish,
): string | undefined => {
  const candidates = [
    preferred,
    method === undefined ? undefined : routing.routes[method],
    ...routing.priority,
    defaultGatewayOf(gateways, routing),
  ];
  return candidates.find((code) => code !== undefined && gateways.has(code) && !disabled.has(code));
};

type ChoiceDeps = Pick<PaymentsDeps, 'db' | 'gateways'>;

/** Chooses the gateway of a new payment order. @throws AppError NO_USABLE_GATEWAY */
export const chooseGateway = async (
  { db, gateways }: ChoiceDeps,
  wish: GatewayWish = {},
): Promise<string> => {
  const { disabled, routing } = await readSettings(db);
  const chosen = pickGateway(gateways, disabled, routing, wish);
  if (chosen === undefined) throw new AppError('NO_USABLE_GATEWAY');
  return chosen;
};

/** Returns where the bare webhook path leads; a disabled gateway may still report payments. */
export const defaultGateway = async ({ db, gateways }: ChoiceDeps): Promise<string | undefined> =>
  defaultGatewayOf(gateways, (await readSettings(db)).routing);
