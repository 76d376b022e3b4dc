import { openBooks } from '#test/support/open-books.ts';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { idGuard } from '#test/support/id-guard.ts';
import { runQueuedJobs } from '#test/support/run-queued-jobs.ts';
import { signedIn } from '../../../platform/http/index.ts';
import { createAdmins } from '../../admins/index.ts';
import { runLimitsOf } from '../../reconciliation/index.ts';
import {
  createProofAccountingRoutes,
  createProofAdminRoutes,
  createProofCustomerRoutes,
  createProofOfGold,
} from '../index.ts';
import { testKeys } from './made-proofs.ts';

interface RunAnswer {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly sequence: number | null;
}

/** Opens the books of all services and the APIs of proof of gold, with the real sandbox. */
export const openProofs = async () => {
  const books = await openBooks();
  const { system, services } = books;
  const { db, database, inTransaction } = system;
  const deps = {
    ...system,
    readSnapshot: database.readSnapshot,
    goldProvider: services.provider,
    keys: testKeys,
    limits: runLimitsOf(200),
  };
  const proofs = createProofOfGold(deps, { confirmEveryMs: 1000 });
  const customerUrl = await system.serve({
    prefix: '/v1',
    guard: idGuard,
    routes: createProofCustomerRoutes({ db }),
  });
  const operatorGuard = createAdmins({ ...system, tokenTtlSeconds: 3600 }).guard;
  const adminUrl = await system.serve({
    prefix: '/v1',
    guard: operatorGuard,
    routes: createProofAdminRoutes({ ...system, db, inTransaction }),
  });
  const reader = signedIn<{ portalUserId: string; email: string; role: string }>();
  const accountingUrl = await system.serve({
    prefix: '/v1',
    guard: idGuard,
    routes: createProofAccountingRoutes({
      ...system,
      readSnapshot: database.readSnapshot,
      access: { read: reader, file: reader },
    }),
  });
  // Each call has a new token, since tests move the time by days.
  const operator: Caller = async (method, path, body) =>
    bearerCaller(adminUrl, (await books.factories.admin('ADMIN')).token)(method, path, body);

  const drain = async (made = proofs): Promise<void> => {
    const [thrown] = await runQueuedJobs(system, made.jobs);
    if (thrown !== undefined) throw thrown;
  };
  const runOf = async (id: string): Promise<RunAnswer> => {
    const { body } = await operator('GET', `/proof-of-gold/runs/${id}`);
    return body as unknown as RunAnswer; // the route's own schema was checked
  };

  return {
    ...books,
    deps,
    proofs,
    customerUrl,
    accountingUrl,
    operatorGuard,
    operator,
    drainProofs: drain,
    runOf,
    /** Requests a statement and makes it. The clock advances by a second before. */
    async publish(made = proofs): Promise<RunAnswer> {
      await books.advance(1);
      const { status, body } = await operator('POST', '/proof-of-gold/runs');
      if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
      await drain(made);
      return runOf(String(body['id']));
    },
    /** Returns a caller of the customer API, with a session or without. */
    customerAs: (userId?: string) => bearerCaller(customerUrl, userId),
  };
};

export type OpenProofs = Awaited<ReturnType<typeof openProofs>>;
