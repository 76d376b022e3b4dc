import { createGoldProvider } from '../../src/adapters/gold-provider/create-gold-provider.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import { createPayoutProvider } from '../../src/adapters/payout-provider/create-payout-provider.ts';
import { withConnection } from '../../dev/stack/database-setup.ts';
import type { GatewaysByCode } from '../../src/modules/payments/payments.types.ts';
import { createReconciliation, type CheckId } from '../../src/modules/reconciliation/index.ts';
import { bearerCaller, type Answer } from './caller.ts';
import { createBooksCustomers, must } from './books-customers.ts';
import { serveServices } from './serve-services.ts';

/** Replaces the real gateways by gateways that answer differently. */
type WrapGateways = (real: GatewaysByCode) => GatewaysByCode;

interface ReportedCheck {
  readonly id: CheckId;
  readonly severity: string;
  readonly status: 'OK' | 'FINDINGS' | 'ERROR';
  readonly count: number;
  readonly samples: readonly Readonly<Record<string, unknown>>[];
  readonly detail?: string;
}

type Checks = ReadonlyMap<CheckId, ReportedCheck>;

const byId = (checks: readonly ReportedCheck[]): Checks =>
  new Map(checks.map((check) => [check.id, check]));

const pathOf = (windowHours?: number | string): string =>
  windowHours === undefined
    ? '/reconciliation'
    : `/reconciliation?window_hours=${encodeURIComponent(windowHours)}`;

/** All services of a process and the reconciliation of its books, on the real sandbox. */
export const openBooks = async () => {
  const served = await serveServices();
  const { system, adminUrl, control } = served;
  const customers = createBooksCustomers(served);
  const support = await customers.operator('SUPPORT');
  const report = (windowHours?: number | string): Promise<Answer> =>
    support('GET', pathOf(windowHours));

  return {
    ...served,
    ...customers,
    report,

    /** The route, by whoever has this token. */
    reportAs: (token: string | undefined): Promise<Answer> =>
      bearerCaller(adminUrl, token)('GET', pathOf()),

    async checks(): Promise<Checks> {
      const { body } = must(await report(), 200);
      return byId(body['checks'] as ReportedCheck[]); // the route's own schema was checked
    },

    /**
     * The same in a process that has made no call before, so that no circuit is open. `wrap` wraps
     * its gateways.
     */
    async freshChecks(wrap: WrapGateways = (real) => real): Promise<Checks> {
      const [env, base] = [system.env, { clock: system.clock, logger: system.logger }];
      const goldProvider = createGoldProvider(env, base);
      const gateways = createPaymentGateways(env, base);
      const payoutProvider = createPayoutProvider(env, base);
      const collaborators = { goldProvider, gateways: wrap(gateways), payoutProvider };
      const fresh = createReconciliation({ ...served.deps, ...collaborators });
      const { checks } = await fresh.report(72);
      for (const used of [goldProvider, payoutProvider, ...gateways.values()]) await used.close();
      return byId(checks);
    },

    /** As the owner of the tables: what the application itself may not do. */
    asOwner: (sql: string, ...values: readonly unknown[]): Promise<void> =>
      withConnection(system.addresses.migrateUrl, async (client) => {
        await client.query(sql, [...values]);
      }),

    async advance(seconds: number): Promise<void> {
      system.clock.advance(seconds * 1000);
      await control('POST', '/clock', { advanceSeconds: seconds });
    },
  };
};

export type OpenBooks = Awaited<ReturnType<typeof openBooks>>;
