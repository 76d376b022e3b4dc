import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { rulesSql } from './rules-of-schema.ts';

const file = join(import.meta.dirname, 'rules.json');
const shape = z.record(z.string(), z.string());

let fresh: FreshDatabase;
let client: Client;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.appUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

// RULES_LEARN=true writes them down again: a reviewer reads which rule came, went or changed.
it('has every rule that is written down, as it is written, and no other', async () => {
  const { rows } = await client.query<{ name: string; definition: string }>(rulesSql);
  const rules = Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
  if (process.env['RULES_LEARN'] === 'true') {
    writeFileSync(file, `${JSON.stringify(rules, undefined, 2)}\n`);
  }
  expect(rules).toEqual(shape.parse(JSON.parse(readFileSync(file, 'utf8'))));
});
