import { msBetween, type Clock } from '../../../../platform/clock/clock.ts';
import type { CollaboratorStore } from '../../core/collaborator.ts';
import { fromSaved, toSaved } from '../../state/saved-value.ts';

/** The customer's side of a transaction. */
export type Side = 'buy' | 'sell';

/** 0 not confirmed, 1 success, 2 failed, 3 in progress (pages buy-status-api, sell-status-api). */
type TransactionStatus = 0 | 1 | 2 | 3;

/** A customer of SafeGold; the phone number is the identity. */
export interface SafegoldUser {
  readonly id: number;
  readonly name: string;
  readonly mobileNo: string;
  readonly pincode: string;
  readonly email: string | null;
  readonly hasIdentity: boolean;
  readonly hasPan: boolean;
}

/** A price that was quoted and holds until `expiresAtMs`. */
export interface Rate {
  readonly id: number;
  readonly side: Side;
  readonly paise: bigint;
  readonly expiresAtMs: number;
}

/** A verified buy or sell; weights in 0.0001 g. */
export interface Transaction {
  readonly id: number;
  readonly side: Side;
  readonly userId: number;
  readonly rateId: number;
  /** Per gram, before tax. */
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

/** Holds SafeGold's customers, quoted rates and transactions. */
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
  /** Oldest first. */
  transactionsOf(userId: number): readonly Transaction[];
  /** The newest `count`, newest first. */
  newestTransactions(count: number): readonly Transaction[];
  /** Returns the customer's gold in 0.0001 g: bought less sold; a pending sale counts as sold. */
  balanceOf(userId: number): bigint;
}

/**
 * Creates an empty store with one running number for all its records. The number starts from real
 * time, so that no id is used twice when the sandbox forgets its records while the service keeps
 * its database.
 */
export const createSafegoldStore = (clock: Clock, system: Clock): SafegoldStore => {
  const users = new Map<string, SafegoldUser>();
  const usersByMobile = new Map<string, SafegoldUser>();
  const rates = new Map<string, Rate>();
  const transactions = new Map<string, Transaction>();
  const transactionIds = new Map<number, string[]>();
  let lastId = system.now().getTime();

  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  const putUser = (user: SafegoldUser): void => {
    users.set(String(user.id), user);
    usersByMobile.set(user.mobileNo, user);
  };
  const putTransaction = (transaction: Transaction): void => {
    const id = String(transaction.id);
    if (!transactions.has(id)) {
      const ids = transactionIds.get(transaction.userId) ?? [];
      ids.push(id);
      transactionIds.set(transaction.userId, ids);
    }
    transactions.set(id, transaction);
  };
  const dropOldRates = (): void => {
    for (const [id, rate] of rates) {
      if (msBetween(new Date(rate.expiresAtMs), clock.now()) <= keepRatesMs) return;
      rates.delete(id);
    }
  };
  const transactionsOf = (userId: number): readonly Transaction[] =>
    (transactionIds.get(userId) ?? []).flatMap((id) => transactions.get(id) ?? []);
  const clear = (): void => {
    for (const map of [users, usersByMobile, rates, transactions, transactionIds]) map.clear();
  };

  return {
    user: (id) => (id === undefined ? undefined : users.get(id)),
    userByMobile: (mobileNo) => usersByMobile.get(mobileNo),
    addUser(given) {
      const user = { id: nextId(), ...given };
      putUser(user);
      return user;
    },
    replaceUser: putUser,
    quote(side, paise) {
      dropOldRates();
      const expiresAtMs = clock.now().getTime() + rateLifeMs;
      const rate = { id: nextId(), side, paise, expiresAtMs };
      rates.set(String(rate.id), rate);
      return rate;
    },
    rate: (id) => rates.get(id),
    addTransaction(given) {
      const transaction = { id: nextId(), ...given };
      putTransaction(transaction);
      return transaction;
    },
    transaction: (id) => (id === undefined ? undefined : transactions.get(id)),
    replaceTransaction: putTransaction,
    transactionsOf,
    newestTransactions: (count) => [...transactions.values()].slice(-count).toReversed(),
    balanceOf: (userId) =>
      transactionsOf(userId).reduce((sum, { side, status, weight }) => {
        if (side === 'buy') return status === 1 ? sum + weight : sum;
        return status === 1 || status === 3 ? sum - weight : sum;
      }, 0n),
    save: () =>
      toSaved({
        lastId,
        users: [...users.values()],
        rates: [...rates.values()],
        transactions: [...transactions.values()],
      } satisfies Saved),
    load(value) {
      // Written by `save`; the file's version was checked.
      const saved = fromSaved(value) as Saved;
      clear();
      lastId = Math.max(lastId, saved.lastId);
      for (const user of saved.users) putUser(user);
      for (const rate of saved.rates) rates.set(String(rate.id), rate);
      for (const transaction of saved.transactions) putTransaction(transaction);
    },
    clear,
  };
};
