import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { areaOf, backendFolder, placeOf, serviceSources } from './source-files.ts';

interface Table {
  readonly name: string;
  /** As the database client names it: `goldOrder`. */
  readonly model: string;
  readonly owner: string;
}

/** Mechanics that keep a table for a module, whose file of the schema it is in. */
const ownersByTable: Readonly<Record<string, string>> = {
  user_data_key: 'platform', // platform/crypto: a data key for each user
  idempotency_key: 'platform',
  scheduled_job: 'platform',
};

const schemaFolder = join(backendFolder, 'prisma', 'schema');

const tablesOf = (fileName: string): Table[] => {
  const text = readFileSync(join(schemaFolder, fileName), 'utf8');
  const module = fileName.replace(/\.prisma$/u, '');
  return [...text.matchAll(/^model (\w+) \{([\s\S]*?)^\}/gmu)].map(([, model = '', body = '']) => {
    const name = /@@map\("(\w+)"\)/u.exec(body)?.[1] ?? model;
    const owner = ownersByTable[name] ?? (module === 'platform' ? module : `modules/${module}`);
    return { name, owner, model: model.charAt(0).toLowerCase() + model.slice(1) };
  });
};

const tables = readdirSync(schemaFolder).flatMap(tablesOf);
const byName = new Map(tables.map((table) => [table.name, table]));
const byModel = new Map(tables.map((table) => [table.model, table]));

const sqlWrite =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?"?([a-z_]+)"?/gu;
const modelWrite = new RegExp(
  String.raw`\.([a-zA-Z]+)\s*\.\s*(?:create|createMany|createManyAndReturn|update|updateMany` +
    String.raw`|upsert|delete|deleteMany)\s*\(`,
  'gu',
);

const purgeWrite = /\bcreateRowPurge\(\s*\w+,\s*\{\s*name:\s*'[^']+',\s*table:\s*'(\w+)'/gu;
const leaseWrite = /\bcreateLease\(\s*\{\s*table:\s*'(\w+)'/gu;

/** The tables that a file writes, with where. */
const writesOf = (path: string, code: string): { table: Table; at: string }[] => {
  const find = (pattern: RegExp, index: ReadonlyMap<string, Table>) =>
    [...code.matchAll(pattern)].flatMap((match) => {
      const table = index.get(match[1] ?? '');
      return table === undefined ? [] : [{ table, at: placeOf(path, code, match.index) }];
    });
  const named = [sqlWrite, leaseWrite, purgeWrite].flatMap((pattern) => find(pattern, byName));
  return [...named, ...find(modelWrite, byModel)];
};

/** The local stack and its seed fill tables of modules that have no writer for it. */
const isStack = /^src\/apps\/seed\//u;

it('knows the tables and their writers', () => {
  expect(tables.length).toBeGreaterThan(50);
  const found = writesOf('x.ts', 'INSERT INTO gold_order (id) ...; tx.kycRecord.updateMany({});');
  expect(found.map(({ table }) => table.owner)).toEqual(['modules/orders', 'modules/kyc']);
  const leased = writesOf('x.ts', "createLease({ table: 'provider_operation' })");
  expect(leased.map(({ table }) => table.owner)).toEqual(['modules/provider-operations']);
  const purge =
    "createRowPurge(db, { name: 'identity-purge-code-sends', table: 'otp_send', lapsed })";
  expect(writesOf('x.ts', purge).map(({ table }) => table.owner)).toEqual(['modules/identity']);
});

it('lets a module write only its own tables: ask the owner through its index.ts', () => {
  const foreign = serviceSources.flatMap(({ path, code }) =>
    writesOf(path, code)
      .filter(() => !isStack.test(path))
      .filter(({ table }) => table.owner !== areaOf(path))
      .map(({ table, at }) => `${at} writes ${table.name}, which is ${table.owner}'s`),
  );
  expect(foreign).toEqual([]);
});
