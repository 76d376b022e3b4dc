import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../backend/dev/stack/database-setup.ts';
import { createDatabase, type Database } from '../../backend/src/platform/db/index.ts';
import { createTestStack, type TestStack } from '../../backend/test/support/test-stack.ts';
import { golden, steadied } from './support/golden.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

const password = 'a long enough secret';
const asha = 'asha@example.test';

let stack: TestStack;
let home: StackHome;
let database: Database;

beforeAll(async () => {
  stack = await createTestStack({ seeded: false });
  home = await writeStackHome(stack);
  await Promise.all([stack.start('sandbox'), stack.start('admin')]);
  database = createDatabase({
    url: stack.database.databaseUrl,
    poolSize: 2,
    applicationName: 'test',
  });
});

afterAll(async () => {
  await database.close();
  await stack.stop();
  home.remove();
});

const goldctl = (args: readonly string[], options: RunOptions = {}) =>
  runInProcess(args, { ...options, repository, env: { ...home.env, ...options.env } });

const create = (email: string, role: string) =>
  goldctl(['admin', 'create', email, '--role', role, '--password-stdin'], {
    stdin: `${password}\n`,
  });

const signIn = async (email: string, secret: string): Promise<number> => {
  const answer = await fetch(`${stack.urlOf('admin')}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  });
  return answer.status;
};

/** Lists the audit rows except sign-ins, which are counted together for each minute. */
const audited = async (): Promise<string[]> => {
  const rows = await database.db.auditLog.findMany({
    where: { NOT: { action: { startsWith: 'admin.sign_in' } } },
    orderBy: { seq: 'asc' },
  });
  return rows.map(({ action, actorApi, actorRole }) => `${action} ${actorApi} ${actorRole}`);
};

describe('the first operator', () => {
  it('is made on an empty database, and signs in', async () => {
    const made = await goldctl(['admin', 'create', asha.toUpperCase(), '--role', 'SUPER_ADMIN'], {
      typed: [password, password],
    });
    expect(made.code).toBe(0);
    expect(made.stderr).toBe(`New password of ${asha.toUpperCase()}:\nRepeat the password:\n`);
    expect(steadied(made.stdout)).toBe(golden('admin-create.txt', steadied(made.stdout)));
    expect(await signIn(asha, password)).toBe(200);
    expect(await audited()).toEqual(['admin.create system OPERATOR_COMMAND']);
  });

  it('leaves its password in no audit row and no output', async () => {
    const rows = await database.db.auditLog.findMany();
    const list = await goldctl(['admin', 'list', '-o', 'json']);
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(`${text}${list.stdout}`).toContain(asha);
    expect(`${text}${list.stdout}`).not.toMatch(/argon2|long enough secret/u);
  });

  it.each([['deactivate'], ['set-role', '--role', 'ADMIN']])(
    'stays while it is the last active super admin: %s',
    async (name, ...more) => {
      const before = await audited();
      const refused = await goldctl(['admin', name, asha, ...more]);
      expect(refused).toEqual({
        code: 1,
        stdout: '',
        stderr: 'goldctl: This is the last active super admin. (CONFLICT)\n',
      });
      expect(await audited()).toEqual(before);
    },
  );
});

describe('other operators', () => {
  it('are listed, as a table and as JSON', async () => {
    expect((await create('ravi@example.test', 'SUPPORT')).code).toBe(0);
    const table = await goldctl(['admin', 'list']);
    expect(steadied(table.stdout)).toBe(golden('admin-list.txt', steadied(table.stdout)));
    const json = await goldctl(['admin', 'list', '-o', 'json']);
    expect(steadied(json.stdout)).toBe(golden('admin-list.json', steadied(json.stdout)));
  });

  it('have e-mail addresses of their own', async () => {
    const refused = await create('RAVI@example.test', 'ADMIN');
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'goldctl: An operator with this email already exists. (CONFLICT)\n',
    });
  });

  it('change role, are shut out and let in again, each time audited once', async () => {
    const before = await audited();
    const changes = [
      ['set-role', 'ravi@example.test', '--role', 'SUPER_ADMIN'],
      ['deactivate', 'ravi@example.test'],
      ['deactivate', 'ravi@example.test'],
      ['activate', 'ravi@example.test'],
    ];
    const seen: string[] = [];
    for (const args of changes) {
      const { code, stdout } = await goldctl(['admin', ...args, '-o', 'json']);
      expect(code).toBe(0);
      const { role, active } = JSON.parse(stdout) as { role: string; active: boolean };
      seen.push(`${role} ${active} ${await signIn('ravi@example.test', password)}`);
    }
    expect(seen).toEqual([
      'SUPER_ADMIN true 200',
      'SUPER_ADMIN false 401',
      'SUPER_ADMIN false 401',
      'SUPER_ADMIN true 200',
    ]);
    expect((await audited()).slice(before.length)).toEqual([
      'admin.set-role system OPERATOR_COMMAND',
      'admin.deactivate system OPERATOR_COMMAND',
      'admin.activate system OPERATOR_COMMAND',
    ]);
  });

  it('leave one of two super admins, whoever demotes both at once', async () => {
    const answers = await Promise.all(
      [asha, 'ravi@example.test'].map((email) =>
        goldctl(['admin', 'set-role', email, '--role', 'ADMIN']),
      ),
    );
    expect(answers.map(({ code }) => String(code)).toSorted()).toEqual(['0', '1']);
    const left = { role: 'SUPER_ADMIN', active: true };
    expect(await database.db.adminUser.count({ where: left })).toBe(1);
  });

  it('get a new password, which lifts the lock of failed sign-ins', async () => {
    const email = 'ravi@example.test';
    for (let failures = 0; failures < 5; failures += 1) await signIn(email, 'wrong');
    expect(await signIn(email, password)).toBe(429);
    const reset = await goldctl(['admin', 'reset-password', email, '--password-stdin'], {
      stdin: 'another long secret',
    });
    expect(reset.code).toBe(0);
    expect(await signIn(email, password)).toBe(401);
    expect(await signIn(email, 'another long secret')).toBe(200);
  });
});

const reset = (options: RunOptions) => goldctl(['admin', 'reset-password', asha], options);

describe('a password', () => {
  it.each([
    ['two that differ', { typed: [password, 'another'] }, 2, 'the passwords do not match'],
    ['none', { typed: [''] }, 2, 'the password is empty'],
    ['no terminal', {}, 2, 'there is no terminal'],
    ['too short', { typed: ['short', 'short'] }, 1, 'at least 12 characters'],
    ['too long', { typed: ['x'.repeat(129), 'x'.repeat(129)] }, 1, 'at most 128 characters'],
    ['no file', { env: { GOLDCTL_PASSWORD_FILE: '/nowhere' } }, 2, "/nowhere can't be read"],
  ])('is refused: %s', async (_name, options, code, message) => {
    const refused = await reset(options);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(message);
    expect(await signIn(asha, password)).toBe(200);
  });
});

describe('refusals', () => {
  it.each([
    [
      ['admin', 'activate', 'nobody@example.test'],
      1,
      'There is no operator with the email nobody@',
    ],
    [['admin', 'activate', 'nobody'], 1, 'must be an email address'],
    [['admin', 'create', 'a@example.test', '--role', 'KING'], 2, 'Allowed choices are'],
    [['admin', 'create', 'a@example.test'], 2, '--role'],
    [['admin', 'set-role', '--role', 'ADMIN'], 2, 'email'],
  ])('%j', async (args, code, message) => {
    const refused = await goldctl(args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(message);
  });

  it('says that there is no stack, and how to get one', async () => {
    const nowhere = await goldctl(['admin', 'list'], { env: { STACK_HOME: '/nowhere' } });
    expect(nowhere.code).toBe(5);
    expect(nowhere.stderr).toContain('"make up" starts one');
  });
});

const withOwner = (statements: readonly string[]) =>
  withConnection(stack.database.migrateUrl, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

describe('the audit log', () => {
  const hash = /\b[\da-f]{64}\b/gu;

  /** Puts the same hash and numbers into every run: sign-ins count once a minute, so they vary. */
  const steady = (text: string) =>
    steadied(text.replaceAll(hash, 'f'.repeat(64)))
      .replace(/(?<=^verified +)\d+/mu, '18')
      .replace(/(?<=^head +)\d+/mu, '18')
      .replaceAll(/(?<=^CHANGED +)\d+ */gmu, '1      ');

  it('is verified against its chain, and a head that was noted', async () => {
    const noted = await goldctl(['audit', 'head']);
    expect(noted.stdout).toMatch(/^[1-9]\d*:[\da-f]{64}\n$/u);
    expect(await goldctl(['audit', 'head', '-o', 'json'])).toMatchObject({ code: 0 });
    const verified = await goldctl(['audit', 'verify', '--head', noted.stdout.trim()]);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toContain(noted.stdout.trim());
    const cut = await goldctl(['audit', 'verify', '--head', `999:${'0'.repeat(64)}`]);
    expect(cut.code).toBe(3);
    expect(cut.stdout).toContain('WRONG_HEAD');
  });

  it.each([['5'], ['5:abc'], [`-1:${'0'.repeat(64)}`]])(
    'takes no head such as %s',
    async (head) => {
      const refused = await goldctl(['audit', 'verify', `--head=${head}`]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('NUMBER:HASH');
    },
  );

  it('shows what was changed behind the service', async () => {
    await withOwner([
      'ALTER TABLE audit_log DISABLE TRIGGER USER',
      "UPDATE audit_log SET ip = '203.0.113.66' WHERE action = 'admin.create'",
      `INSERT INTO audit_log (id, action, actor_api, at)
       VALUES ('018f0000-0000-7000-8000-000000000001', 'forged', 'admin', now())`,
      'ALTER TABLE audit_log ENABLE TRIGGER USER',
    ]);
    const found = await goldctl(['audit', 'verify', '-o', 'json']);
    expect(found.code).toBe(3);
    const { findings } = JSON.parse(found.stdout) as { findings: { kind: string }[] };
    const changed = await database.db.auditChain.findMany({
      where: { audit: { action: 'admin.create' } },
      orderBy: { number: 'asc' },
    });
    expect(findings).toEqual([
      ...changed.map(({ number }) =>
        expect.objectContaining({ kind: 'CHANGED', number: String(number) }),
      ),
      expect.objectContaining({ kind: 'INSERTED', number: null }),
    ]);
    const table = await goldctl(['audit', 'verify']);
    expect(table.stderr).toContain('goldctl: the audit log does not match its chain');
    const head = (await goldctl(['audit', 'head'])).stdout.trim();
    expect(table.stdout).toMatch(new RegExp(`^verified +${head.split(':')[0]} entries$`, 'mu'));
    expect(table.stdout).toMatch(new RegExp(`^head +${head}$`, 'mu'));
    expect(steady(table.stdout)).toBe(golden('audit-verify.txt', steady(table.stdout)));
  });
});
