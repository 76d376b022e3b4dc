import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type ErrorCapturingSqlMigrationAwareDriverAdapterFactory,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import { Client, Pool } from 'pg';

interface RowDescription {
  readonly fields: { dataTypeID: number }[];
}

const charOid = 18;
const textOid = 25;

/** Runs a statement on a separate connection. */
const runOnce = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};

/**
 * Lets the engine read the catalogue's type "char" (oid 18). The adapter refuses this type, and the
 * engine expects it as Character, so it is read as text and named Character afterwards. With one
 * connection the last row description is that of the result just read.
 */
const readCharColumns = (pool: Pool): (() => number[]) => {
  let columns: number[] = [];
  pool.on('connect', (client) => {
    // Not part of the published types, though every client has it.
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.prependListener('rowDescription', (message: RowDescription) => {
      columns = [];
      for (const [index, field] of message.fields.entries()) {
        if (field.dataTypeID !== charOid) continue;
        field.dataTypeID = textOid;
        columns.push(index);
      }
    });
  });
  return () => columns;
};

/**
 * Opens an adapter with one connection, which the engine's advisory lock and its work share. A
 * script is sent as a whole, as one implicit transaction. adapter-pg would split it at every
 * semicolon, even inside a function's body.
 */
const openAdapter = async (
  url: string,
  afterwards?: () => Promise<void>,
): Promise<SqlDriverAdapter> => {
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  const charColumns = readCharColumns(pool);
  const adapter = await new PrismaPg(pool).connect();
  const dispose = adapter.dispose.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    executeScript: async (script: string) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    },
    queryRaw: async (query: Parameters<typeof queryRaw>[0]) => {
      const result = await queryRaw(query);
      for (const index of charColumns()) {
        if (index < result.columnTypes.length) {
          result.columnTypes[index] = ColumnTypeEnum.Character;
        }
      }
      return result;
    },
    dispose: async () => {
      await dispose();
      await pool.end();
      await afterwards?.();
    },
  });
};

interface MigrationAdapter {
  readonly factory: ErrorCapturingSqlMigrationAwareDriverAdapterFactory;
  /** Closes what the engine left open. */
  close(): Promise<void>;
}

/**
 * Connects the schema engine to PostgreSQL. The shadow database is created and dropped beside the
 * main one (needs CREATEDB). adapter-pg's own would connect to the main database.
 */
export const createMigrationAdapter = (url: string): MigrationAdapter => {
  const open = new Set<SqlDriverAdapter>();
  const openCounted = async (target: string, drop?: () => Promise<void>) => {
    const adapter = await openAdapter(target, async () => {
      open.delete(adapter);
      await drop?.();
    });
    open.add(adapter);
    return adapter;
  };
  const factory = bindMigrationAwareSqlAdapterFactory({
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => openCounted(url),
    connectToShadowDb: async () => {
      const name = `prisma_shadow_${randomUUID().replaceAll('-', '')}`;
      const shadowUrl = new URL(url);
      shadowUrl.pathname = `/${name}`;
      await runOnce(url, `CREATE DATABASE "${name}"`);
      return openCounted(shadowUrl.href, () =>
        runOnce(url, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
      );
    },
  });
  return {
    factory,
    close: async () => {
      await Promise.all([...open].map((adapter) => adapter.dispose()));
    },
  };
};
