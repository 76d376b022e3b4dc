import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { CollaboratorStore } from '../../core/collaborator.ts';

/** A person who is paid. */
export interface Contact {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly contact: string | null;
  readonly type: string | null;
  readonly reference_id: string | null;
  readonly created_at: number;
}

/** A bank account at which a contact is paid. It never changes. */
export interface FundAccount {
  readonly id: string;
  readonly contact_id: string;
  readonly name: string;
  readonly ifsc: string;
  readonly account_number: string;
  readonly created_at: number;
}

type PayoutStatus = 'processing' | 'processed' | 'failed' | 'rejected' | 'reversed';

/** A payout. `created_at` is in seconds. */
export interface Payout {
  readonly id: string;
  readonly idempotency_key: string;
  /** The body of its request. A repeat of its key must have the same body. */
  readonly asked: unknown;
  readonly fund_account_id: string;
  readonly amount: number;
  readonly mode: string;
  readonly purpose: string;
  readonly reference_id: string | null;
  readonly narration: string | null;
  readonly status: PayoutStatus;
  readonly utr: string | null;
  readonly created_at: number;
}

/** A penny-drop. */
export interface Validation {
  readonly id: string;
  readonly fund_account_id: string;
  readonly reference_id: string | null;
  readonly status: 'created' | 'completed' | 'failed';
  readonly account_status: 'active' | 'invalid' | null;
  readonly created_at: number;
}

interface Row {
  readonly id: string;
  readonly created_at: number;
}

type New<T extends Row> = Omit<T, 'id' | 'created_at'>;

/** Stores the rows of one kind in the order of their creation. */
interface Table<T extends Row> {
  get(id: string | undefined): T | undefined;
  /** Returns the newest row for which `matches` is true. */
  newestWhere(matches: (row: T) => boolean): T | undefined;
  /** Newest first. */
  all(): readonly T[];
  add(row: New<T>): T;
  replace(row: T): void;
}

/** Stores the payout provider's contacts, fund accounts, payouts and penny-drops. */
export interface RazorpayxStore extends CollaboratorStore {
  readonly contacts: Table<Contact>;
  readonly fundAccounts: Table<FundAccount>;
  readonly payouts: Table<Payout>;
  readonly validations: Table<Validation>;
}

/** Returns whole seconds, as the provider counts time. */
export const secondsAt = (date: Date): number => Math.floor(date.getTime() / 1000);

export const createRazorpayxStore = (clock: Clock, random: Random): RazorpayxStore => {
  const createTable = <T extends Row>(prefix: string) => {
    const rows = new Map<string, T>();
    const stamp = (): Row => ({
      id: `${prefix}_${random.uuid().replaceAll('-', '')}`,
      created_at: secondsAt(clock.now()),
    });
    const all = () => [...rows.values()].toReversed();
    const table: Table<T> = {
      get: (id) => (id === undefined ? undefined : rows.get(id)),
      newestWhere: (matches) => all().find(matches),
      all,
      add(fields) {
        // `New<T>` and the stamp together have all fields of T.
        const row = { ...fields, ...stamp() } as T;
        rows.set(row.id, row);
        return row;
      },
      replace(row) {
        rows.set(row.id, row);
      },
    };
    return {
      table,
      clear: () => rows.clear(),
      save: () => [...rows.values()],
      load(saved: readonly T[]) {
        rows.clear();
        for (const row of saved) rows.set(row.id, row);
      },
    };
  };

  const contacts = createTable<Contact>('cont');
  const fundAccounts = createTable<FundAccount>('fa');
  const payouts = createTable<Payout>('pout');
  const validations = createTable<Validation>('fav');
  const save = () => ({
    contacts: contacts.save(),
    fundAccounts: fundAccounts.save(),
    payouts: payouts.save(),
    validations: validations.save(),
  });

  return {
    contacts: contacts.table,
    fundAccounts: fundAccounts.table,
    payouts: payouts.table,
    validations: validations.table,
    save,
    load(value) {
      // The value was written by `save`, and the file's version was checked.
      const saved = value as ReturnType<typeof save>;
      contacts.load(saved.contacts);
      fundAccounts.load(saved.fundAccounts);
      payouts.load(saved.payouts);
      validations.load(saved.validations);
    },
    clear() {
      for (const { clear } of [contacts, fundAccounts, payouts, validations]) clear();
    },
  };
};
