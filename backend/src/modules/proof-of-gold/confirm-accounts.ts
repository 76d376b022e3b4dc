import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { ZERO_GRAMS, type Grams } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { createFetcher, toFetched, type FetchLimits } from '../reconciliation/index.ts';
import {
  hasMoreAccounts,
  listUnconfirmed,
  upsertConfirmations,
  type Account,
} from './confirmations.store.ts';
import type { RefusalReason } from './proof.types.ts';

/** Every account is queried at least this often, even if nothing changed. */
const againMs = 30 * 24 * 60 * 60_000;
/** Up to this many accounts, each statement queries all of them. */
const fewAccounts = 1000;
const pageRows = 200;
/** The maximum number of passes over the accounts. A holding may change during a pass. */
const maxPasses = 5;

export interface ConfirmDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly goldProvider: Pick<GoldProvider, 'code' | 'getUser'>;
  readonly limits: FetchLimits;
}

interface ConfirmOptions {
  readonly signal: AbortSignal;
  /** True directly before a statement. All accounts are then queried if there are few. */
  readonly isForStatement?: boolean;
  readonly onPage?: () => Promise<void>;
}

interface Unconfirmed {
  readonly reason: Extract<RefusalReason, 'PROVIDER_SILENT' | 'NOT_CONFIRMED_IN_TIME'>;
  readonly note: string;
}

/**
 * Queries the provider for the gold of every account whose holding changed since its last query.
 * These queries are the long part of a statement, so they are spread over the day (contract:
 * proof-of-gold > Confirmed). Returns the reason if some accounts have no answer.
 */
export const confirmAccounts = async (
  { db, clock, goldProvider, limits }: ConfirmDeps,
  { signal, isForStatement = false, onPage }: ConfirmOptions,
): Promise<Unconfirmed | undefined> => {
  const startedAt = clock.now();
  const isSmall = isForStatement && !(await hasMoreAccounts(db, fewAccounts));
  const since = isSmall ? startedAt : addMs(startedAt, -againMs);
  const fetcher = createFetcher<Account, Grams>(limits, async ({ providerUserId }) =>
    toFetched(goldProvider.code, await goldProvider.getUser(providerUserId), {
      onDone: (user) => user.goldBalanceGrams,
      // The provider has no such customer, so it holds no gold for them.
      onRefused: () => ZERO_GRAMS,
    }),
  );
  for (let pass = 0, after = ''; pass < maxPasses && !signal.aborted;) {
    const page = { after, since, limit: pageRows };
    const accounts = await listUnconfirmed(db, goldProvider.code, page);
    if (accounts.length === 0) {
      if (after === '') return undefined;
      [after, pass] = ['', pass + 1];
      continue;
    }
    const answers = await fetcher.fetch(accounts);
    await upsertConfirmations(db, goldProvider.code, answers, clock.now());
    await onPage?.();
    const silence = fetcher.silence();
    if (silence !== undefined) return { reason: 'PROVIDER_SILENT', note: silence };
    if (fetcher.hasStopped()) break;
    after = accounts.at(-1)?.providerUserId ?? '';
  }
  // Accounts that are still unconfirmed have traded in the last moments, or the time ran out.
  const isLate = fetcher.hasStopped() || signal.aborted;
  return isLate
    ? { reason: 'NOT_CONFIRMED_IN_TIME', note: 'The next statement asks about the rest.' }
    : undefined;
};
