import type { Db, InTransaction } from '../../platform/db/index.ts';
import { defineRoute, ok, type Access, type Route } from '../../platform/http/index.ts';
import { buysRegister } from './buys.register.ts';
import {
  createExportRegister,
  fileTypes,
  type ExportDeps,
  type ExportRegister,
} from './export-register.ts';
import { holdingsRegister } from './holdings.register.ts';
import { paymentsRegister } from './payments.register.ts';
import { payoutsRegister } from './payouts.register.ts';
import { windowOf } from './period-figures.ts';
import { productSalesRegister } from './product-sales.register.ts';
import { readRegister } from './read-register.ts';
import { registerTotals } from './register-totals.read-model.ts';
import {
  asksForFile,
  periodQuery,
  registerPageOf,
  registerQueryOf,
  summaryView,
} from './registers.schemas.ts';
import type { Register, RegisterPermission, RegisterReader } from './registers.types.ts';
import { sellsRegister } from './sells.register.ts';

interface RegistersDeps extends ExportDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  /** The export that other routes of the process use too, since its limits count for the process. */
  readonly exportRegister?: ExportRegister;
  /** Admits users with `permission` and with the permission that `besides` returns for a query. */
  readonly access: (
    permission: RegisterPermission,
    besides?: (query: unknown) => RegisterPermission | undefined,
  ) => Access<RegisterReader>;
}

const registers: readonly Register[] = [
  buysRegister,
  sellsRegister,
  holdingsRegister,
  paymentsRegister,
  payoutsRegister,
  productSalesRegister,
];

/** The transaction reads one snapshot, so that totals and page agree. */
const onOneSnapshot = { isolation: 'RepeatableRead', timeoutMs: 30_000 } as const;

/** Returns the further permission that a query needs if it requests a file. */
export const filePermissionOf = (query: unknown): 'gold.export' | undefined =>
  asksForFile(query) ? 'gold.export' : undefined;

/** Declares the registers of the accounting API, as pages and as files. */
export const createRegisterAccountingRoutes = (deps: RegistersDeps): Route[] => {
  const { inTransaction, access } = deps;
  const { exportRegister = createExportRegister(deps) } = deps;

  const summary = defineRoute({
    method: 'GET',
    path: '/gold/summary',
    summary: 'The totals of a period',
    tags: ['registers'],
    access: access('gold.summary.read'),
    query: periodQuery,
    responses: { 200: summaryView },
    handler: async ({ query }) => {
      const totals = await inTransaction((tx) => registerTotals(tx, query), onOneSnapshot);
      return ok({ from: query.from ?? null, to: query.to ?? null, ...totals });
    },
  });

  const routeOf = (register: Register): Route =>
    defineRoute({
      method: 'GET',
      path: `/gold/${register.name}`,
      summary: register.summary,
      tags: ['registers'],
      access: access(register.permission, filePermissionOf),
      query: registerQueryOf(register),
      responses: { 200: registerPageOf(register) },
      produces: Object.values(fileTypes),
      errors: ['BUSY', 'TOO_MANY_ROWS'],
      handler: async ({ query, principal: reader, context }) => {
        const { format, status, q } = query;
        if (format !== 'json') return exportRegister({ register, query, format, reader, context });
        const filter = { ...windowOf(query), status, q };
        return ok(
          await inTransaction((tx) => readRegister(tx, register, filter, query), onOneSnapshot),
        );
      },
    });

  return [summary, ...registers.map(routeOf)];
};
