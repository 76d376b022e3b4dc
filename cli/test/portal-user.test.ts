import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestStack, type TestStack } from '../../backend/test/support/test-stack.ts';
import { golden, steadied } from './support/golden.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

const password = 'a long enough secret';
const meera = 'meera@example.test';
const ravi = 'ravi@example.test';

let stack: TestStack;
let home: StackHome;

beforeAll(async () => {
  stack = await createTestStack({ seeded: false });
  home = await writeStackHome(stack);
  await Promise.all([stack.start('sandbox'), stack.start('accounting')]);
});

afterAll(async () => {
  await stack.stop();
  home.remove();
});

const goldctl = (args: readonly string[], options: RunOptions = {}) =>
  runInProcess(['portal-user', ...args], {
    ...options,
    repository,
    env: { ...home.env, ...options.env },
  });

const create = (email: string, name: string, role: string) =>
  goldctl(['create', email, '--person-name', name, '--role', role, '--password-stdin'], {
    stdin: `${password}\n`,
  });

const ask = async (method: string, path: string, body?: object, token = '') => {
  const response = await fetch(`${stack.urlOf('accounting')}/api/v1/accounting${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-portal-token': token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const signIn = (email: string, secret = password) =>
  ask('POST', '/auth/login', { email, password: secret });

describe('the first portal user', () => {
  it('is made on an empty database, and signs in', async () => {
    const made = await create(meera, 'Meera Nair', 'super_admin');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(steadied(made.stdout)).toBe(golden('portal-user-create.txt', steadied(made.stdout)));
    expect((await signIn(meera)).status).toBe(200);
  });

  it.each([['deactivate'], ['set-role', '--role', 'viewer']])(
    'stays while it is the last active super admin: %s',
    async (name, ...more) => {
      const refused = await goldctl([name, meera, ...more]);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('(CONFLICT)');
      expect((await signIn(meera)).status).toBe(200);
    },
  );
});

describe('other portal users', () => {
  it('are listed, as a table and as JSON', async () => {
    expect((await create(ravi, 'Ravi Rao', 'accountant')).code).toBe(0);
    const table = await goldctl(['list']);
    expect(steadied(table.stdout)).toBe(golden('portal-user-list.txt', steadied(table.stdout)));
    const json = await goldctl(['list', '-o', 'json']);
    expect(steadied(json.stdout)).toBe(golden('portal-user-list.json', steadied(json.stdout)));
  });

  it('change role, are shut out and let in again, with a new password', async () => {
    const role = await goldctl(['set-role', ravi, '--role', 'auditor', '-o', 'json']);
    expect(JSON.parse(role.stdout)).toMatchObject({ name: 'Ravi Rao', role: 'auditor' });
    expect((await goldctl(['deactivate', ravi])).stdout).toContain('inactive');
    expect((await signIn(ravi)).status).toBe(401);
    expect((await goldctl(['activate', ravi])).code).toBe(0);
    const other = 'another long secret';
    const reset = await goldctl(['reset-password', ravi, '--password-stdin'], { stdin: other });
    expect(reset.code).toBe(0);
    expect((await signIn(ravi)).status).toBe(401);
    expect((await signIn(ravi, other)).status).toBe(200);
  });

  it('and what was done to them show in the audit of the accounting API', async () => {
    const { token } = (await signIn(meera)).body;
    const { body } = await ask('GET', '/gold/audit?limit=100', undefined, String(token));
    const items = body['items'] as { action: string }[];
    const seen = new Set(items.map(({ action }) => action));
    for (const change of ['create', 'assign-role', 'activate', 'deactivate', 'reset-password']) {
      expect(seen).toContain(`portal-user.${change}`);
    }
  });
});

describe('refusals', () => {
  it.each([
    [
      ['activate', 'nobody@example.test'],
      1,
      'There is no portal user with the email nobody@example.test.',
    ],
    [['create', 'a@example.test', '--role', 'viewer'], 2, '--person-name'],
    [['create', 'a@example.test', '--person-name', 'A', '--role', 'ADMIN'], 2, 'Allowed choices'],
    [['create', '--person-name', 'A', '--role', 'viewer'], 2, 'email'],
  ])('%j', async (args, code, message) => {
    const refused = await goldctl(args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toContain(message);
  });
});
