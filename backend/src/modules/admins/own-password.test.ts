import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { createFactories, type Factories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAdminApi } from '#test/support/serve-apis.ts';

let system: TestSystem;
let make: Factories;
let url: string;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  ({ url } = await serveAdminApi(system));
});

afterAll(async () => system.close());

const next = 'a stable for every horse';
const as = (token?: string) => bearerCaller(url, token);
const signIn = ({ email, password }: Pick<MadeAdmin, 'email' | 'password'>) =>
  as()('POST', '/auth/login', { email, password });
const isLive = async (token: string) =>
  (await as(token)('GET', '/auth/second-factor')).status === 200;
const change = (token: string, currentPassword: string, newPassword: string) =>
  as(token)('POST', '/auth/password', { currentPassword, newPassword });

it("a change of an operator's own password needs the current one, and ends every other sign-in", async () => {
  const operator = await make.admin('SUPPORT');
  const other = String((await signIn(operator)).body['accessToken']);
  const wrong = await change(operator.token, 'not this one', next);
  expect(wrong).toMatchObject({ status: 403, code: 'WRONG_PASSWORD' });
  expect(await isLive(operator.token)).toBe(true);

  const answer = await change(operator.token, operator.password, next);
  expect(answer).toMatchObject({ status: 200, body: { expiresIn: 28_800 } });
  expect(await isLive(operator.token)).toBe(false);
  expect(await isLive(other)).toBe(false);
  expect(await isLive(String(answer.body['accessToken']))).toBe(true);
  expect(await signIn(operator)).toMatchObject({ status: 401 });
  expect(await signIn({ ...operator, password: next })).toMatchObject({ status: 200 });
  const row = await system.db.auditLog.findFirst({
    where: { action: 'admin.change_password', actorId: operator.adminId },
  });
  expect(row).toMatchObject({ targetType: 'admin', targetId: operator.adminId });
  expect(system.logged()).not.toContain(next);
});

it.each([
  ['a short one', 'short', 'newPassword'],
  ['the same one', 'correct horse', 'newPassword'],
])("a change of an operator's own password refuses %s", async (_name, password, field) => {
  const operator = await make.admin('SUPPORT', { password: 'correct horse' });
  const answer = await change(operator.token, operator.password, password);
  expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
});

it("a stolen token neither guesses the operator's password nor locks its owner out", async () => {
  const operator = await make.admin('ADMIN');
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await change(operator.token, `guess ${tries}`, next)).toMatchObject({ status: 403 });
  }
  const locked = await change(operator.token, operator.password, next);
  expect(locked).toMatchObject({ status: 429, code: 'LOGIN_LOCKED' });
  const signedIn = await signIn(operator);
  expect(signedIn).toMatchObject({ status: 200 });
  system.clock.advance(30 * 60_000);
  const token = String(signedIn.body['accessToken']);
  expect(await change(token, operator.password, next)).toMatchObject({ status: 200 });
});

it("an operator's own password is set by only one of two concurrent changes", async () => {
  const operator = await make.admin('ADMIN');
  const answers = await Promise.all([
    change(operator.token, operator.password, next),
    change(operator.token, operator.password, `${next}, too`),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
