import { afterAll, beforeAll, expect, it } from 'vitest';
import { totpCode } from '../../backend/src/platform/auth/totp.ts';
import { addSeconds, createSystemClock } from '../../backend/src/platform/clock/clock.ts';
import { createTestStack, type TestStack } from '../../backend/test/support/test-stack.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

const password = 'a long enough secret';
const asha = 'asha@example.test';

let stack: TestStack;
let home: StackHome;

beforeAll(async () => {
  stack = await createTestStack({ seeded: false });
  home = await writeStackHome(stack);
  await Promise.all([stack.start('sandbox'), stack.start('admin')]);
});

afterAll(async () => {
  await stack.stop();
  home.remove();
});

const goldctl = (args: readonly string[], options: RunOptions = {}) =>
  runInProcess(args, {
    ...options,
    repository,
    env: { ...home.env, ...options.env },
    now: createSystemClock().now(),
  });
const logIn = ['login', '--email', asha];
const wall = createSystemClock();

it('sets an authenticator app up, asks for its code at the sign-in, and takes it away', async () => {
  await goldctl(['admin', 'create', asha, '--role', 'SUPER_ADMIN'], {
    typed: [password, password],
  });
  expect(await goldctl(logIn, { typed: [password] })).toMatchObject({ code: 0 });
  let secret = '';
  const enrolled = await goldctl(['second-factor', 'enrol'], {
    typed: [
      password,
      (stderr) => {
        secret = /^ {2}([A-Z2-7]{32})$/mu.exec(stderr)?.[1] ?? '';
        return totpCode(secret, wall.now());
      },
    ],
  });
  expect(enrolled).toMatchObject({ code: 0 });
  expect(enrolled.stdout.match(/^ {2}(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/gmu)).toHaveLength(10);
  expect(enrolled.stdout).not.toContain(secret);
  // The sign-in that was stored goes on by its new token.
  expect(await goldctl(['whoami'])).toMatchObject({ code: 0 });

  const asked = await goldctl(logIn, {
    typed: [password, () => totpCode(secret, addSeconds(wall.now(), 30))],
  });
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.stderr).toContain('Code of the authenticator app');
  const [recovery = ''] = /(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}/u.exec(enrolled.stdout) ?? [];
  const scripted = await goldctl([...logIn, '--password-stdin'], {
    stdin: password,
    env: { GOLDCTL_CODE: recovery },
  });
  expect(scripted).toMatchObject({ code: 0 });
  const silent = await goldctl([...logIn, '--password-stdin'], { stdin: password });
  expect(silent).toMatchObject({ code: 2, stdout: '' });
  expect(silent.stderr).toContain('GOLDCTL_CODE');

  const lost = ['admin', 'disable-second-factor', asha];
  expect(await goldctl(lost)).toMatchObject({ code: 2 });
  const disabled = await goldctl([...lost, '--reason', 'lost the phone']);
  expect(disabled).toMatchObject({ code: 0 });
  expect(await goldctl(['whoami'])).toMatchObject({ code: 4 });
  expect(await goldctl(logIn, { typed: [password] })).toMatchObject({ code: 0 });
});
