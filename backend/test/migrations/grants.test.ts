import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../dev/stack/database-setup.ts';
import { listMigrations, prismaFolder } from '../../src/platform/db/migrations.ts';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const ask = <T extends object>(url: string, sql: string): Promise<T[]> =>
  withConnection(url, async (client) => (await client.query<T>(sql)).rows);

const insertOnly = [
  'audit_chain',
  'audit_log',
  'gold_order_event',
  'holding_movement',
  'month_end_close',
  'month_end_reopening',
  'policy_determination',
  'order_part_event',
  'product_order_cash',
  'product_order_event',
  'product_order_line',
  'proof_statement',
  'reconciliation_sign_off',
  'statutory_parameter',
];

/** Tables whose rows can be made again or expire, so that the application may delete them. */
const deletable = [
  'address_refusal',
  'admin_login_caller',
  'admin_login_guard',
  'bank_validation',
  'banner',
  'biometric_token',
  'deleted_phone',
  'feature_flag',
  'former_buyer',
  'gateway_setting',
  'gold_quote',
  'idempotency_key',
  'job_pool',
  'kyc_document',
  'legal_field',
  'list_change',
  'mpin_guard',
  'notification',
  'otp_code',
  'otp_guard',
  'otp_send',
  'portal_login_caller',
  'portal_login_guard',
  'portal_session',
  'price_snapshot',
  'product_image',
  'product_stock',
  'product_word',
  'proof_chunk',
  'proof_leaf',
  'push_token',
  'readiness_evidence',
  'reconciliation_agreement',
  'reconciliation_run',
  'recovery_code',
  'refusal_count',
  'scheduled_job',
  'second_factor',
  'security_event',
  'session',
  'sign_in_guard',
  'support_ticket',
  'transaction_change',
  'trusted_device',
  'unproven_holding',
  'use_window',
  'used_refresh_token',
];

interface Rights {
  readonly name: string;
  readonly read: boolean;
  readonly add: boolean;
  readonly change: boolean;
  readonly remove: boolean;
  readonly empty: boolean;
}

const rightsOfTheApplication = (): Promise<Rights[]> =>
  ask<Rights>(
    fresh.migrateUrl,
    `SELECT relname AS name,
       has_table_privilege('dgs_app', oid, 'SELECT') AS read,
       has_table_privilege('dgs_app', oid, 'INSERT') AS add,
       has_table_privilege('dgs_app', oid, 'UPDATE') AS change,
       has_table_privilege('dgs_app', oid, 'DELETE') AS remove,
       has_table_privilege('dgs_app', oid, 'TRUNCATE') AS empty
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname <> '_prisma_migrations' ORDER BY relname`,
  );

const namesWhere = (rights: readonly Rights[], has: (r: Rights) => boolean): string[] =>
  rights.filter(has).map((r) => r.name);

describe('the application role', () => {
  it('reads every table, adds to all but what a trigger alone adds to, truncates none', async () => {
    const rights = await rightsOfTheApplication();
    expect(rights.length).toBeGreaterThan(50);
    expect(namesWhere(rights, (r) => !r.read || r.empty)).toEqual([]);
    expect(namesWhere(rights, (r) => !r.add)).toEqual([
      'audit_chain',
      'audit_pending',
      'product_invoice',
      'product_invoice_series',
    ]);
  });

  it('only adds to what is never changed', async () => {
    const rights = await rightsOfTheApplication();
    const added = [
      'audit_pending',
      'bank_validation',
      'list_change',
      'policy_version',
      'product_invoice',
      'product_invoice_series',
      'product_word',
      'proof_chunk',
      'proof_leaf',
      // All but its note.
      'support_ticket_event',
      // All but its text.
      'support_ticket_message',
      'transaction_change',
    ];
    const unchangeable = [...insertOnly, ...added].toSorted();
    expect(namesWhere(rights, (r) => !r.change)).toEqual(unchangeable);
  });

  it('deletes only what is made anew or runs out', async () => {
    expect(namesWhere(await rightsOfTheApplication(), (r) => r.remove)).toEqual(deletable);
  });

  it('owns nothing and makes nothing', async () => {
    const owned = await ask(
      fresh.migrateUrl,
      `SELECT relname FROM pg_class WHERE relowner = 'dgs_app'::regrole`,
    );
    expect(owned).toEqual([]);
    await expect(ask(fresh.appUrl, 'CREATE TABLE mine (id int)')).rejects.toThrow(/permission/u);
    await expect(ask(fresh.appUrl, 'DROP TABLE banner')).rejects.toThrow(/owner/u);
  });

  it('uses every sequence', async () => {
    const unusable = await ask(
      fresh.migrateUrl,
      `SELECT relname FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid
       WHERE relnamespace = 'public'::regnamespace
         AND NOT has_sequence_privilege('dgs_app', seqrelid, 'USAGE')`,
    );
    expect(unusable).toEqual([]);
  });

  it('may ask which migrations are applied, and record none', async () => {
    expect(await ask(fresh.appUrl, 'SELECT migration_name FROM _prisma_migrations')).not.toEqual(
      [],
    );
    await expect(ask(fresh.appUrl, 'DELETE FROM _prisma_migrations')).rejects.toThrow(
      /permission/u,
    );
  });
});

describe('an append-only table', () => {
  it.each(insertOnly)('%s refuses the application', async (table) => {
    await expect(ask(fresh.appUrl, `DELETE FROM ${table}`)).rejects.toThrow(/permission denied/u);
  });

  it.each(insertOnly)('%s refuses its owner too', async (table) => {
    const { migrateUrl } = fresh;
    const refusal = `rows of ${table} are never changed or deleted`;
    await expect(ask(migrateUrl, `DELETE FROM ${table}`)).rejects.toThrow(refusal);
    await expect(ask(migrateUrl, `TRUNCATE ${table} CASCADE`)).rejects.toThrow(refusal);
    const [column] = await ask<{ name: string }>(
      migrateUrl,
      `SELECT attname AS name FROM pg_attribute
       WHERE attrelid = '${table}'::regclass AND attnum = 1`,
    );
    await expect(
      ask(migrateUrl, `UPDATE ${table} SET ${column?.name} = ${column?.name}`),
    ).rejects.toThrow(refusal);
  });
});

it('names the role that is missing', async () => {
  const [name = ''] = await listMigrations();
  const script = join(prismaFolder(), 'migrations', name, 'migration.sql');
  const sql = (await readFile(script, 'utf8')).replaceAll('dgs_app', 'dgs_nobody');
  await expect(ask(fresh.migrateUrl, sql)).rejects.toThrow('the role dgs_nobody does not exist');
});
