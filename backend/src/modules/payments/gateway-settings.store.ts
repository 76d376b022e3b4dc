import { z } from 'zod';
import { readAlone, readOf, selectRows, sql, type Db, type Read } from '../../platform/db/index.ts';
import { paymentMethods, type PaymentMethod } from './payments.types.ts';

/* The tables `gateway_setting` and `gateway_routing` hold the operators' settings of gateways. */

export const gatewayModes = ['test', 'live'] as const;
type GatewayMode = (typeof gatewayModes)[number];

/** The operators' setting of one gateway. */
export interface GatewaySetting {
  readonly enabled: boolean;
  readonly mode: GatewayMode;
}

/** The gateway of each instrument. An instrument without a gateway has no route. */
type GatewayRoutes = Readonly<Partial<Record<PaymentMethod, string | undefined>>>;

export interface GatewayRouting {
  readonly defaultCode: string | null;
  readonly priority: readonly string[];
  readonly routes: GatewayRoutes;
}

/** The operators' settings of all gateways. */
export interface GatewaySettings {
  readonly byCode: ReadonlyMap<string, GatewaySetting>;
  readonly routing: GatewayRouting;
}

/** The setting of a gateway that no operator has changed: enabled, and in mode `test`. */
const unset: GatewaySetting = { enabled: true, mode: 'test' };

export const settingOf = ({ byCode }: GatewaySettings, code: string): GatewaySetting =>
  byCode.get(code) ?? unset;

const code = z.string().exactOptional();
const routesSchema = z.object({ upi: code, card: code, netbanking: code, wallet: code }).catch({});

interface SettingsRow {
  readonly default_code: string | null;
  readonly priority: readonly string[] | null;
  readonly routes: unknown;
  readonly settings: readonly (GatewaySetting & { readonly code: string })[] | null;
}

/** The id of the only row of `gateway_routing`. */
const routingId = 1;

const toSettings = (row: SettingsRow | undefined): GatewaySettings => {
  const settings = row?.settings ?? [];
  return {
    byCode: new Map(settings.map(({ code: key, enabled, mode }) => [key, { enabled, mode }])),
    routing: {
      defaultCode: row?.default_code ?? null,
      priority: row?.priority ?? [],
      routes: routesSchema.parse(row?.routes),
    },
  };
};

/** Reads both tables in one statement, because every purchase reads them without a cache. */
export const readGatewayChoice: Read<GatewaySettings> = readOf(
  sql`
    SELECT r.default_code, r.priority, r.routes,
      (SELECT jsonb_agg(jsonb_build_object('code', code, 'enabled', enabled, 'mode', mode))
       FROM gateway_setting) AS settings
    FROM (VALUES (${routingId}::int)) AS one (id) LEFT JOIN gateway_routing r ON r.id = one.id`,
  toSettings,
);

/** Returns the current settings. */
export const readGatewaySettings = (db: Db): Promise<GatewaySettings> =>
  readAlone(db, readGatewayChoice);

/** Locks the settings until the transaction ends, so that an audit row shows the replaced values. */
export const lockGatewaySettings = async (tx: Db): Promise<void> => {
  await selectRows(tx, sql`SELECT id FROM gateway_routing WHERE id = ${routingId} FOR UPDATE`);
};

interface Writer {
  readonly at: Date;
  /** The operator's id. */
  readonly by: string;
}

export const upsertGatewaySetting = async (
  tx: Db,
  gateway: string,
  setting: GatewaySetting,
  { at, by }: Writer,
): Promise<void> => {
  const data = { ...setting, updatedAt: at, updatedBy: by };
  await tx.gatewaySetting.upsert({
    where: { code: gateway },
    create: { code: gateway, ...data },
    update: data,
  });
};

export const upsertGatewayRouting = async (
  tx: Db,
  { defaultCode, priority, routes }: GatewayRouting,
  { at, by }: Writer,
): Promise<void> => {
  const entries = paymentMethods.flatMap((method) => {
    const gateway = routes[method];
    return gateway === undefined ? [] : [[method, gateway] as const];
  });
  const data = {
    defaultCode,
    priority: [...priority],
    routes: Object.fromEntries(entries),
    updatedAt: at,
    updatedBy: by,
  };
  await tx.gatewayRouting.upsert({
    where: { id: routingId },
    create: { id: routingId, ...data },
    update: data,
  });
};
