import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { PaymentMethod } from './payments.types.ts';

export interface GatewayRouting {
  readonly defaultCode: string | null;
  readonly priority: readonly string[];
  readonly routes: Readonly<Partial<Record<PaymentMethod, string | undefined>>>;
}

export interface GatewayConfig {
  /** A gateway without a row of its own is enabled. */
  readonly disabled: ReadonlySet<string>;
  readonly routing: GatewayRouting;
}

const code = z.string().optional();
const routesSchema = z.object({ upi: code, card: code, netbanking: code, wallet: code }).catch({});

/** What operators decided about gateways. */
export const createGatewayConfigStore = (db: Db) => ({
  async read(): Promise<GatewayConfig> {
    const [row] = await db.$queryRaw<
      { default_code: string | null; priority: string[]; routes: unknown; disabled: string[] }[]
    >`
      SELECT r.default_code, r.priority, r.routes,
        ARRAY(SELECT code FROM gateway_setting WHERE NOT enabled) AS disabled
      FROM gateway_routing r WHERE r.id = 1`;
    return {
      disabled: new Set(row?.disabled),
      routing: {
        defaultCode: row?.default_code ?? null,
        priority: row?.priority ?? [],
        routes: routesSchema.parse(row?.routes),
      },
    };
  },
});
