import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { Statement } from './sql-script.ts';

/** Does what a script says; `between` is told before the transaction and after it. */
export interface BareSql {
  run(
    script: readonly Statement[],
    between?: (at: 'before' | 'after') => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly before: readonly Statement[];
  readonly inside: readonly Statement[];
  readonly after: readonly Statement[];
}

/** The transaction's own words are left to the driver. */
const partsOf = (script: readonly Statement[]): Parts => {
  const words = script.map(({ text }) => text);
  const [begin, commit] = [words.indexOf('BEGIN'), words.indexOf('COMMIT')];
  if (begin < 0 || commit < begin) throw new Error('no transaction was recorded');
  const inside = script.slice(begin + 1, commit);
  return {
    before: script.slice(0, begin),
    inside: inside.filter(({ text }) => !text.startsWith('SET TRANSACTION')),
    after: script.slice(commit + 1),
  };
};

type Send = (statement: Statement) => Promise<unknown>;

const sendAll = async (statements: readonly Statement[], send: Send): Promise<void> => {
  for (const statement of statements) await send(statement);
};

const poolOf = (url: string, poolSize: number) => ({ connectionString: url, max: poolSize });

const answersRows = (text: string): boolean =>
  /^\s*SELECT\b/iu.test(text) || /\bRETURNING\b[^)]*$/iu.test(text);

const byClient =
  (db: Pick<PrismaClient, '$queryRawUnsafe' | '$executeRawUnsafe'>): Send =>
  ({ text, values }) =>
    answersRows(text) ? db.$queryRawUnsafe(text, ...values) : db.$executeRawUnsafe(text, ...values);

/** Through the database client of the service, as raw statements. */
export const createClientSql = (url: string, poolSize: number): BareSql => {
  const client = new PrismaClient({ adapter: new PrismaPg(poolOf(url, poolSize)) });
  return {
    async run(script, between) {
      const { before, inside, after } = partsOf(script);
      await sendAll(before, byClient(client));
      await between?.('before');
      await client.$transaction((tx) => sendAll(inside, byClient(tx)));
      await between?.('after');
      await sendAll(after, byClient(client));
    },
    close: () => client.$disconnect(),
  };
};

const byDriver =
  (connection: Pool | PoolClient): Send =>
  ({ text, values }) =>
    connection.query({ text, values: [...values], rowMode: 'array' });

/** Through pg alone, which the client itself is built on. */
export const createDriverSql = (url: string, poolSize: number): BareSql => {
  const pool = new Pool(poolOf(url, poolSize));
  // At the end the server goes while connections are still saying goodbye.
  pool.on('error', () => undefined);
  return {
    async run(script, between) {
      const { before, inside, after } = partsOf(script);
      await sendAll(before, byDriver(pool));
      await between?.('before');
      const connection = await pool.connect();
      try {
        await connection.query('BEGIN');
        await sendAll(inside, byDriver(connection));
        await connection.query('COMMIT');
      } finally {
        connection.release();
      }
      await between?.('after');
      await sendAll(after, byDriver(pool));
    },
    close: () => pool.end(),
  };
};
