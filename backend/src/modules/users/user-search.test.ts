import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { selectRows, sql, type Sql } from '../../platform/db/index.ts';
import { countSql, pageSql } from './users.read-model.ts';

let system: TestSystem;
let make: Factories;
let operator: Caller;
beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  const { url } = await serveAdminApi(system);
  operator = bearerCaller(url, (await make.admin('SUPPORT')).token);
});
afterAll(() => system.close());

interface Known {
  readonly id: string;
  readonly phone: string;
  readonly full_name: string | null;
  readonly email: string | null;
}

const search = async (q: string, more = ''): Promise<{ ids: string[]; total: unknown }> => {
  const path = `/users?q=${encodeURIComponent(q)}&limit=100${more}`;
  const { status, body } = await operator('GET', path);
  expect({ status, q }).toEqual({ status: 200, q });
  return { ids: (body['items'] as { id: string }[]).map(({ id }) => id), total: body['total'] };
};

const person = async (fullName: string | null, email: string | null): Promise<Known> => {
  const { userId: id, phone } = await make.customer();
  system.clock.advance(1000);
  await system.db.user.update({ where: { id }, data: { fullName, email } });
  return { id, phone, full_name: fullName, email };
};

/** Parts of names, emails and searches, such as letters, wildcards and other scripts. */
const part = fc.constantFrom(
  'a',
  'A',
  'sh',
  'Ra',
  'o',
  ' ',
  '%',
  '_',
  '\\',
  "'",
  '"',
  ';--',
  '@',
  '.',
  '+91',
  '9',
  '1',
  'é',
  'É',
  'ﬁ',
  'ß',
  'İ',
  'Σ',
  'ς',
  'а',
  'Ａ',
  '％',
  'अ',
  'मि',
  '\u202E',
  '\u200D',
  '😀',
);
const text = (maxLength: number) =>
  fc.array(part, { minLength: 1, maxLength }).map((parts) => parts.join(''));

const fold = (value: string): string => value.normalize('NFKC').toLowerCase();
/** Makes runs of blanks single, as in stored names and in searches. */
const oneBlank = (value: string): string => value.replaceAll(/ +/gu, ' ');

/** Returns true if the plain model of the contract finds a customer. */
const finds = (q: string, { id, phone, full_name: name, email }: Known): boolean => {
  const wanted = fold(q.trim());
  const wantedName = oneBlank(wanted);
  const isShort = Array.from(wanted).length < 3;
  const hit = (value: string | null, part: string): boolean =>
    value !== null && (isShort ? fold(value).startsWith(part) : fold(value).includes(part));
  const digits = wanted.replaceAll(/[\s().-]/gu, '').replace(/^(?:\+91|91|0)(?=\d{10}$)/u, '');
  return (
    hit(name && oneBlank(name), wantedName) ||
    hit(email, wanted) ||
    wanted === id ||
    phone === `+91${digits}`
  );
};

describe('the search', () => {
  it('finds the same customers as a plain search through all of them, newest first', async () => {
    const everybody: Known[] = [];
    const names = fc.option(text(6).filter((value) => value.trim() !== ''));
    const rows = fc.sample(fc.tuple(names, names), 50);
    for (const [name, email] of rows) everybody.push(await person(name, email));
    const known = everybody.map(({ phone, id, full_name: name, email }) => [
      phone,
      id,
      name,
      email,
    ]);
    const typed = fc.oneof(
      { weight: 6, arbitrary: text(4) },
      { weight: 2, arbitrary: fc.constantFrom(...known.flat().filter((one) => one !== null)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...everybody), fc.constantFrom('', '0', '91', '+91 ', '+91-'))
          .map(([{ phone }, prefix]) => `${prefix}${phone.slice(3, 8)} ${phone.slice(8)}`),
      },
    );
    await fc.assert(
      fc.asyncProperty(typed, async (q) => {
        fc.pre(q.trim() !== '' && q.trim().length <= 100);
        const expected = everybody.filter((one) => finds(q, one)).map(({ id }) => id);
        const found = await search(q);
        expect(found).toEqual({ ids: expected.toReversed().slice(0, 100), total: expected.length });
      }),
      { numRuns: 100 },
    );
  });

  it('finds a name with any blanks, stored or typed', async () => {
    const two = await person('Lakshmi  Narayanan', null);
    const hard = await person('Lakshmi\u00a0Narayanan', null);
    for (const q of ['Lakshmi Narayanan', 'lakshmi   narayanan', 'lakshmi\u00a0n', 'I  N']) {
      expect((await search(q)).ids).toEqual([hard.id, two.id]);
    }
    const { fullName } = await system.db.user.findUniqueOrThrow({ where: { id: two.id } });
    expect(fullName).toBe('Lakshmi Narayanan');
  });

  it('finds an international email by its own letters and by its encoded form', async () => {
    const mailed = await person('Asha of Bharat', 'asha@xn--p1b6ci4b4b3a.xn--h2brj9c');
    for (const q of ['asha@उदाहरण.भारत', '@उदाहरण.भारत', 'asha@xn--p1b6', 'ASHA@XN--P1B6']) {
      expect((await search(q)).ids).toEqual([mailed.id]);
    }
  });

  it('takes wildcards, quotes and look-alikes literally', async () => {
    const odd = await person(`100%_sure' OR 1=1 --`, 'odd.one@example.test');
    const cyrillic = await person('Аnanya Kapoor', null); // its first letter is Cyrillic
    const latin = await person('Ananya Kapoor', null);
    const rightToLeft = await person('\u202Eroopak', null);
    for (const q of ['100%_', "sure' or 1=1", '%_SURE', 'odd.one@']) {
      expect((await search(q)).ids).toEqual([odd.id]);
    }
    // Names of earlier tests may have these characters. As wildcards they would match all customers.
    const own = new Set([odd, cyrillic, latin, rightToLeft].map(({ id }) => id));
    for (const q of ['%%%', '___']) {
      expect((await search(q)).ids.filter((id) => own.has(id))).toEqual([]);
    }
    expect((await search('ananya')).ids).toEqual([latin.id]);
    expect((await search('Аnanya')).ids).toEqual([cyrillic.id]);
    expect((await search('\u202Eroo')).ids).toEqual([rightToLeft.id]);
    expect((await search('＋９１')).ids).toEqual((await search('+91')).ids);
    expect((await search('ＡＮＡＮＹＡ')).ids).toEqual([latin.id]);
    expect((await operator('GET', '/users?q=%00abc')).status).toBe(400);
  });
});

const plan = async (query: Sql): Promise<string> => {
  const rows = await system.inTransaction(async (tx) =>
    selectRows<{ 'QUERY PLAN': string }>(tx, query),
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
};

it('the search reads the indexes and not the table if there are many customers', async () => {
  const insert = `
    INSERT INTO app_user (id, phone, phone_hash, referral_code, full_name, email, created_at,
      updated_at)
    SELECT gen_random_uuid(), '+916' || lpad(n::text, 9, '0'), 'many' || n, 'M' || n,
      'Person ' || md5(n::text), md5('m' || n) || '@example.test', now(), now()
    FROM generate_series(1, 20000) AS n`;
  await withConnection(system.addresses.migrateUrl, async (client) => {
    await client.query(insert);
    await client.query('VACUUM ANALYZE app_user');
  });
  const page = { page: 1, limit: 20 };
  for (const q of ['+916000000077', 'c4ca4238a0', 'c4ca4238a0b923820dcc509a6f75849b']) {
    for (const query of [pageSql({ q }, page), countSql({ q })]) {
      const text = await plan(sql`EXPLAIN ${query}`);
      expect(text).toContain('app_user_search_idx');
      expect(text).not.toContain('Seq Scan on app_user');
    }
  }
  const everybody = await plan(sql`EXPLAIN ${pageSql({}, page)}`);
  expect(everybody).toContain('app_user_created_at_id_idx');
});
