import type { Db } from '../db/database.ts';
import { execute, selectRows, sql } from '../db/sql.ts';

/** A stored key of the ring. It is wrapped by a key that never leaves its key service. */
interface WrappingKey {
  /** The id that sealed values name, such as `ks1`. */
  readonly id: string;
  readonly wrapped: string;
  /** False while processes still have to load the key before one of them seals with it. */
  readonly active: boolean;
}

/**
 * A key to insert. It seals only after `activeInMs`, so that every process has loaded it by then.
 * The first key needs no such delay.
 */
interface NewWrappingKey {
  readonly number: number;
  readonly wrapped: string;
  readonly activeInMs: number;
}

export interface WrappingKeyStore {
  /** Lists the keys, newest first. */
  list(): Promise<WrappingKey[]>;
  /** Returns false if a key already has that number. */
  insert(key: NewWrappingKey): Promise<boolean>;
  /** Replaces the wrapped form of a key by another form of the same key. */
  replace(key: Pick<WrappingKey, 'id' | 'wrapped'>): Promise<void>;
}

const idPattern = /^ks(?<number>[1-9]\d{0,8})$/u;

/** Returns the id of a key by its number. */
export const wrappingKeyId = (number: number): string => `ks${number}`;

/** Returns true for the id of a key of this kind, even if this process has not read the key. */
export const isWrappingKeyId = (id: string): boolean => idPattern.test(id);

const numberOf = (id: string): number => Number(idPattern.exec(id)?.groups?.['number']);

/** Creates the store of `wrapping_key`, with times of the database's clock. */
export const createWrappingKeyStore = (db: Db): WrappingKeyStore => ({
  async list() {
    const rows = await selectRows<{ number: number; wrapped: string; active: boolean }>(
      db,
      sql`SELECT number, wrapped, active_at <= now() AS active FROM wrapping_key
        ORDER BY number DESC`,
    );
    return rows.map(({ number, ...row }) => ({ id: wrappingKeyId(number), ...row }));
  },
  async insert({ number, wrapped, activeInMs }) {
    const count = await execute(
      db,
      sql`INSERT INTO wrapping_key (number, wrapped, created_at, active_at)
        VALUES (${number}::int, ${wrapped}, now(),
          now() + ${activeInMs}::int * interval '1 millisecond')
        ON CONFLICT (number) DO NOTHING`,
    );
    return count === 1;
  },
  async replace({ id, wrapped }) {
    await db.wrappingKey.update({ where: { number: numberOf(id) }, data: { wrapped } });
  },
});
