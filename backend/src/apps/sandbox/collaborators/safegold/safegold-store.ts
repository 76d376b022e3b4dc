import { msBetween, type Clock } from '../../../../platform/clock/clock.ts';
import type { CollaboratorStore } from '../../core/collaborator.ts';
import { fromSaved, toSaved } from '../../state/saved-value.ts';

/** The side of the customer in a transaction. */
export type Side = 'buy' | 'sell';

/** 0 not confirmed, 1 success, 2 failed, 3 in progress (pages buy-status-api, sell-status-api). */
type TransactionStatus = 0 | 1 | 2 | 3;

/** A customer of SafeGold. The phone number is the identity. */
export interface SafegoldUser {
  readonly id: number;
  readonly name: string;
  readonly mobileNo: string;
  readonly pincode: string;
  readonly email: string | null;
  readonly hasIdentity: boolean;
  readonly hasPan: boolean;
}

/** A quoted price, which is valid until `expiresAtMs`. */
interface Rate {
  readonly id: number;
  readonly side: Side;
  readonly paise: bigint;
  readonly expiresAtMs: number;
}

/** A verified buy or sell. Its weights are in 0.0001 g. */
export interface Transaction {
  readonly id: number;
  readonly side: Side;
  readonly userId: number;
  readonly rateId: number;
  /** The price per gram before tax. */
  readonly ratePaise: bigint;
  readonly weight: bigint;
  readonly amountPaise: bigint;
  readonly verifiedAtMs: number;
  readonly status: TransactionStatus;
  readonly invoiceId: string | null;
}

const rateLifeMs = 7 * 60_000;
const keepRatesMs = 60 * 60_000;

interface Saved {
  readonly lastId: number;
  readonly users: readonly SafegoldUser[];
  readonly rates: readonly Rate[];
  readonly transactions: readonly Transaction[];
}

/** Stores SafeGold's customers, quoted rates and transactions. */
export interface SafegoldStore extends CollaboratorStore {
  user(id: string | undefined): SafegoldUser | undefined;
  userByMobile(mobileNo: string): SafegoldUser | undefined;
  addUser(user: Omit<SafegoldUser, 'id'>): SafegoldUser;
  replaceUser(user: SafegoldUser): void;
  quote(side: Side, paise: bigint): Rate;
  rate(id: string): Rate | undefined;
  addTransaction(transaction: Omit<Transaction, 'id'>): Transaction;
  transaction(id: string | undefined): Transaction | undefined;
  replaceTransaction(transaction: Transaction): void;
  /** Lists a customer's transactions, oldest first. */
  transactionsOf(userId: number): readonly Transaction[];
  /** Lists the newest `count` transactions, newest first. */
  newestTransactions(count: number): readonly Transaction[];
  /**
   * Returns the customer's gold in 0.0001 g, which is the bought less the sold weight. A pending
   * sale counts as sold.
   */
  balanceOf(userId: number): bigint;
}

/** The rows and their indexes. */
interface Rows {
  readonly users: Map<string, SafegoldUser>;
  readonly usersByMobile: Map<string, SafegoldUser>;
  readonly rates: Map<string, Rate>;
  readonly transactions: Map<string, Transaction>;
  readonly transactionIdsByUser: Map<number, string[]>;
}

const createRows = (): Rows => ({
  users: new Map(),
  usersByMobile: new Map(),
  rates: new Map(),
  transactions: new Map(),
  transactionIdsByUser: new Map(),
});

const clearRows = (rows: Rows): void => {
  for (const map of Object.values(rows)) map.clear();
};

const putUser = (rows: Rows, user: SafegoldUser): SafegoldUser => {
  rows.users.set(String(user.id), user);
  rows.usersByMobile.set(user.mobileNo, user);
  return user;
};

const dropOldRates = ({ rates }: Rows, now: Date): void => {
  for (const [id, rate] of rates) {
    if (msBetween(new Date(rate.expiresAtMs), now) <= keepRatesMs) return;
    rates.delete(id);
  }
};

const putRate = ({ rates }: Rows, rate: Rate): Rate => {
  rates.set(String(rate.id), rate);
  return rate;
};

const putTransaction = (rows: Rows, transaction: Transaction): Transaction => {
  const { transactions, transactionIdsByUser } = rows;
  const id = String(transaction.id);
  if (!transactions.has(id)) {
    const ids = transactionIdsByUser.get(transaction.userId) ?? [];
    ids.push(id);
    transactionIdsByUser.set(transaction.userId, ids);
  }
  transactions.set(id, transaction);
  return transaction;
};

const transactionsOf = (rows: Rows, userId: number): readonly Transaction[] =>
  (rows.transactionIdsByUser.get(userId) ?? []).flatMap((id) => rows.transactions.get(id) ?? []);

const balanceOf = (rows: Rows, userId: number): bigint =>
  transactionsOf(rows, userId).reduce((sum, { side, status, weight }) => {
    if (side === 'buy') return status === 1 ? sum + weight : sum;
    return status === 1 || status === 3 ? sum - weight : sum;
  }, 0n);

const loadRows = (rows: Rows, saved: Saved): void => {
  clearRows(rows);
  for (const user of saved.users) putUser(rows, user);
  for (const rate of saved.rates) putRate(rows, rate);
  for (const transaction of saved.transactions) putTransaction(rows, transaction);
};

/**
 * Creates an empty store. All records are numbered from one counter, which starts at the real time.
 * So no id is used twice if the sandbox loses its records while the service keeps its database.
 */
export const createSafegoldStore = (clock: Clock, system: Clock): SafegoldStore => {
  const rows = createRows();
  const { users, rates, transactions } = rows;
  let lastId = system.now().getTime();
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };

  return {
    user: (id) => (id === undefined ? undefined : users.get(id)),
    userByMobile: (mobileNo) => rows.usersByMobile.get(mobileNo),
    addUser: (user) => putUser(rows, { id: nextId(), ...user }),
    replaceUser(user) {
      putUser(rows, user);
    },
    quote(side, paise) {
      const now = clock.now();
      dropOldRates(rows, now);
      return putRate(rows, { id: nextId(), side, paise, expiresAtMs: now.getTime() + rateLifeMs });
    },
    rate: (id) => rates.get(id),
    addTransaction: (transaction) => putTransaction(rows, { id: nextId(), ...transaction }),
    transaction: (id) => (id === undefined ? undefined : transactions.get(id)),
    replaceTransaction(transaction) {
      putTransaction(rows, transaction);
    },
    transactionsOf: (userId) => transactionsOf(rows, userId),
    newestTransactions: (count) => [...transactions.values()].slice(-count).toReversed(),
    balanceOf: (userId) => balanceOf(rows, userId),
    save: () =>
      toSaved({
        lastId,
        users: [...users.values()],
        rates: [...rates.values()],
        transactions: [...transactions.values()],
      } satisfies Saved),
    load(value) {
      // The value was written by `save`, and the file's version was checked.
      const saved = fromSaved(value) as Saved;
      lastId = Math.max(lastId, saved.lastId);
      loadRows(rows, saved);
    },
    clear: () => clearRows(rows),
  };
};
