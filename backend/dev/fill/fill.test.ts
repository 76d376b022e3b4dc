import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { findBrokenRules } from '../../src/modules/reconciliation/index.ts';
import { withConnection } from '../stack/database-setup.ts';
import { fillDatabase } from './fill-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

it('the fill keeps every rule over the database', async () => {
  const span = { from: new Date('2025-01-01T00:00:00Z'), to: new Date('2026-10-01T00:00:00Z') };
  await fillDatabase(database.migrateUrl, { series: 1, orders: 1700, users: 300, ...span });
  await fillDatabase(database.migrateUrl, { series: 2, orders: 300, users: 60, ...span });
  expect(await withConnection(database.databaseUrl, findBrokenRules)).toEqual([]);
});
