import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import { ZERO_GRAMS, type Grams } from '../../money/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { createAsking, toFetched, type FetchLimits } from '../reconciliation/index.ts';
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
/**
 * The number of passes over the accounts, for those whose holding changed while the provider was
 * queried.
 */
const mostPasses = 5;

export interface ConfirmDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly goldProvider: Pick<GoldProvider, 'code' | 'getUser'>;
  readonly limits: FetchLimits;
}

interface ConfirmOptions {
  readonly signal: AbortSignal;
  /** Selects the accounts for a statement: all of them if there are few. */
  readonly isForStatement?: boolean;
  readonly onPage?: () => Promise<void>;
}

interface Unconfirmed {
  readonly reason: Extract<RefusalReason, 'PROVIDER_SILENT' | 'NOT_CONFIRMED_IN_TIME'>;
  readonly note: string;
}

/**
 * Queries the provider for the gold of every account whose holding changed since it was last
 * queried, so that the long part of a statement is done through the day (contract: proof-of-gold >
 * Confirmed). Returns the reason if some have no answer.
 */
export const confirmAccounts = async (
  { db, clock, goldProvider, limits }: ConfirmDeps,
  { signal, isForStatement = false, onPage }: ConfirmOptions,
): Promise<Unconfirmed | undefined> => {
  const begunAt = clock.now();
  const isSmall = isForStatement && !(await hasMoreAccounts(db, fewAccounts));
  const since = isSmall ? begunAt : addMs(begunAt, -againMs);
  const asking = createAsking<Account, Grams>(limits, async ({ providerUserId }) =>
    toFetched(goldProvider.code, await goldProvider.getUser(providerUserId), {
      onDone: (user) => user.goldBalanceGrams,
      // It has no such customer: it holds nothing for them.
      onRefused: () => ZERO_GRAMS,
    }),
  );
  for (let pass = 0, after = ''; pass < mostPasses && !signal.aborted;) {
    const accounts = await listUnconfirmed(db, goldProvider.code, { after, since, most: pageRows });
    if (accounts.length === 0) {
      if (after === '') return undefined;
      [after, pass] = ['', pass + 1];
      continue;
    }
    const answers = await asking.ask(accounts);
    await upsertConfirmations(db, goldProvider.code, answers, clock.now());
    await onPage?.();
    const silence = asking.silence();
    if (silence !== undefined) return { reason: 'PROVIDER_SILENT', note: silence };
    if (asking.isOver()) break;
    after = accounts.at(-1)?.providerUserId ?? '';
  }
  // The others traded in the last moments, or the time ran out. The comparison shows which.
  const isLate = asking.isOver() || signal.aborted;
  return isLate
    ? { reason: 'NOT_CONFIRMED_IN_TIME', note: 'The next statement asks about the rest.' }
    : undefined;
};
