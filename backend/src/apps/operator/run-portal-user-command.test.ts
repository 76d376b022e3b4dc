import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCaller } from '#test/support/caller.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createAccounting } from '../../modules/accounting/index.ts';
import { parseCommand } from './parse-command.ts';
import { runOperatorCommand } from './run-command.ts';

let system: TestSystem;
let url: string;

beforeAll(async () => {
  system = await openTestSystem();
  url = await system.serve({ prefix: '/api/v1/accounting', ...createAccounting(system) });
});

afterAll(async () => system.close());

const email = 'meera@example.test';
const run = (line: readonly string[], input = '') =>
  runOperatorCommand(parseCommand(['portal-user', ...line]), {
    ...system,
    databaseUrl: 'unused',
    openVault: async () => system.vault,
    openKeys: () => ({ add: async () => 'ks1', rewrap: async () => 0 }),
    readInput: async () => input,
  });
const create = (password: string) =>
  run(
    ['create', '--email', 'Meera@example.test', '--role', 'super_admin', '--person-name', 'Meera'],
    `${password}\n`,
  );
const signIn = async (password: string) =>
  (await createCaller(url)('POST', '/auth/login', { email, password })).status;

it('the command creates the first portal user, who signs in, and never loses the last', async () => {
  await expect(create('short')).rejects.toThrow(/12 characters/u);
  expect(await create('a password long enough')).toMatchObject({ email, active: true });
  expect(await signIn('a password long enough')).toBe(200);
  await expect(create('a password long enough')).rejects.toThrow(/already exists/u);
  await expect(run(['deactivate', '--email', email])).rejects.toThrow(/last active super admin/u);
  await expect(run(['set-role', '--email', email, '--role', 'viewer'])).rejects.toThrow(/last/u);
  await run(['reset-password', '--email', email], 'another password');
  expect([await signIn('a password long enough'), await signIn('another password')]).toEqual([
    401, 200,
  ]);
  expect(await run(['list'])).toMatchObject({ items: [{ email, role: 'super_admin' }] });
  const rows = await system.db.auditLog.findMany({
    where: { targetType: 'portal_user' },
    orderBy: { seq: 'asc' },
  });
  expect(rows.map(({ action, actorApi }) => `${action} ${actorApi}`)).toEqual([
    'portal-user.create system',
    'portal-user.reset-password system',
  ]);
});
