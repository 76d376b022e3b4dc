import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAdmins } from '../../backend/dev/stack/development-accounts.ts';
import { createTestStack, type TestStack } from '../../backend/test/support/test-stack.ts';
import { golden } from './support/golden.ts';
import { repository, writeStackHome, type StackHome } from './support/stack-home.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

let stack: TestStack;
let home: StackHome;

beforeAll(async () => {
  stack = await createTestStack();
  home = await writeStackHome(stack);
  await stack.start('sandbox');
  await stack.start('admin');
});
afterAll(async () => {
  await stack.stop();
  home.remove();
});

const goldctl = (args: readonly string[], more: RunOptions = {}) =>
  runInProcess(args, { now: new Date(), ...more, repository, env: { ...home.env, ...more.env } });

const readSwitch = (name: string): string =>
  readFileSync(join(stack.addresses.settingsDir, name), 'utf8');

describe('gates of a local stack', () => {
  it('are shown', async () => {
    const shown = await goldctl(['gates', 'show']);
    expect(shown).toEqual({ code: 0, stderr: '', stdout: golden('gates.txt', shown.stdout) });
  });

  it('stay closed where nobody says yes', async () => {
    await goldctl(['gates', 'close', 'accounting-write']);
    const unasked = await goldctl(['gates', 'open', 'accounting-write']);
    const refused = await goldctl(['gates', 'open', 'accounting-write'], { typed: ['n'] });
    expect([unasked.code, refused.code]).toEqual([2, 1]);
    expect(refused.stderr).toContain(`Open accounting-write in ${stack.addresses.settingsDir}?`);
    expect(readSwitch('ACCOUNTING_PORTAL_MODE')).toBe('readonly\n');
    const opened = await goldctl(['gates', 'open', 'accounting-write'], { typed: ['y', ''] });
    expect(opened).toMatchObject({ code: 0 });
    expect(readSwitch('ACCOUNTING_PORTAL_MODE')).toBe('readwrite\n');
    await goldctl(['gates', 'close', 'accounting-write']);
  });
});

const credentials = (): string => join(home.configHome, 'goldctl', 'credentials.json');

describe('a sign-in', () => {
  const { email, password } = developmentAdmins.SUPPORT;

  it('is kept for its owner alone, used, and forgotten', async () => {
    const login = ['login', '--email', email, '--password-stdin'];
    expect(await goldctl(login, { stdin: `${password}\n` })).toMatchObject({ code: 0 });
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect(readFileSync(credentials(), 'utf8')).not.toContain(password);
    const known = await goldctl(['whoami', '-o', 'json']);
    expect(JSON.parse(known.stdout)).toMatchObject({ email, role: 'SUPPORT' });
    expect((await goldctl(['logout'])).stdout).toContain('signed out at');
    expect((await goldctl(['whoami'])).code).toBe(4);
  });

  it('is of no use once it has run out, or the operator is gone', async () => {
    const login = ['login', '--email', email];
    expect((await goldctl(login, { typed: [password] })).code).toBe(0);
    const tomorrow = new Date(Date.now() + 24 * 3_600_000);
    expect((await goldctl(['whoami'], { now: tomorrow })).code).toBe(4);
    expect((await goldctl(['admin', 'deactivate', email])).code).toBe(0);
    const shutOut = await goldctl(['whoami']);
    expect(shutOut.code).toBe(4);
    expect(shutOut.stderr).toContain('UNAUTHENTICATED');
    // A deactivation ends the sign-ins of before for good.
    expect((await goldctl(['admin', 'activate', email])).code).toBe(0);
    expect((await goldctl(['whoami'])).code).toBe(4);
    expect((await goldctl(login, { typed: [password] })).code).toBe(0);
    expect((await goldctl(['whoami'])).code).toBe(0);
  });

  it('is refused with a wrong password, and keeps nothing', async () => {
    await goldctl(['logout']);
    const refused = await goldctl(['login', '--email', email], { typed: ['wrong'] });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect((await goldctl(['whoami'])).code).toBe(4);
  });
});
