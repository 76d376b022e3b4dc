import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { Statement } from './sql-script.ts';

/**
 * Runs the statements of a script. `between` is called before the first transaction and after it.
 */
interface BareSql {
  run(
    script: readonly Statement[],
    between?: (at: 'before' | 'after') => Promise<void>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Consecutive statements, each by itself or all in one transaction. */
interface Part {
  readonly inTransaction: boolean;
  readonly statements: readonly Statement[];
}

/**
 * Splits a script at the start and end of each transaction. It drops the statements that begin and
 * end a transaction, which the driver sends itself.
 */
const partsOf = (script: readonly Statement[]): Part[] => {
  const parts: { inTransaction: boolean; statements: Statement[] }[] = [
    { inTransaction: false, statements: [] },
  ];
  for (const statement of script) {
    if (statement.text === 'BEGIN' || statement.text === 'COMMIT') {
      parts.push({ inTransaction: statement.text === 'BEGIN', statements: [] });
    } else if (!statement.text.startsWith('SET TRANSACTION')) {
      parts.at(-1)?.statements.push(statement);
    }
  }
  if (!parts.some(({ inTransaction }) => inTransaction)) {
    throw new Error('no transaction was recorded');
  }
  return parts;
};

/** Runs the parts in turn, with `between` around the first transaction. */
const runParts = async (
  parts: readonly Part[],
  runPart: (part: Part) => Promise<void>,
  between?: (at: 'before' | 'after') => Promise<void>,
): Promise<void> => {
  const first = parts.findIndex(({ inTransaction }) => inTransaction);
  for (const [index, part] of parts.entries()) {
    if (index === first) await between?.('before');
    await runPart(part);
    if (index === first) await between?.('after');
  }
};

type Send = (statement: Statement) => Promise<unknown>;

const sendAll = async (statements: readonly Statement[], send: Send): Promise<void> => {
  for (const statement of statements) await send(statement);
};

const poolOf = (url: string, poolSize: number) => ({ connectionString: url, max: poolSize });

const returnsRows = (text: string): boolean =>
  /^\s*SELECT\b/iu.test(text) || /\bRETURNING\b[^)]*$/iu.test(text);

const byClient =
  (db: Pick<PrismaClient, '$queryRawUnsafe' | '$executeRawUnsafe'>): Send =>
  ({ text, values }) =>
    returnsRows(text) ? db.$queryRawUnsafe(text, ...values) : db.$executeRawUnsafe(text, ...values);

/** Sends the script through the database client of the service, as raw statements. */
export const createClientSql = (url: string, poolSize: number): BareSql => {
  const client = new PrismaClient({ adapter: new PrismaPg(poolOf(url, poolSize)) });
  const runPart = ({ inTransaction, statements }: Part): Promise<void> =>
    inTransaction
      ? client.$transaction((tx) => sendAll(statements, byClient(tx)))
      : sendAll(statements, byClient(client));
  return {
    run: (script, between) => runParts(partsOf(script), runPart, between),
    close: () => client.$disconnect(),
  };
};

const byDriver =
  (connection: Pool | PoolClient): Send =>
  ({ text, values }) =>
    connection.query({ text, values: [...values], rowMode: 'array' });

/** Sends the script through pg alone, on which the client is built. */
export const createDriverSql = (url: string, poolSize: number): BareSql => {
  const pool = new Pool(poolOf(url, poolSize));
  // At the end, the server may stop before the connections are closed.
  pool.on('error', () => undefined);
  const runPart = async ({ inTransaction, statements }: Part): Promise<void> => {
    if (!inTransaction) return sendAll(statements, byDriver(pool));
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      await sendAll(statements, byDriver(connection));
      await connection.query('COMMIT');
    } finally {
      connection.release();
    }
  };
  return {
    run: (script, between) => runParts(partsOf(script), runPart, between),
    close: () => pool.end(),
  };
};
