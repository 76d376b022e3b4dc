import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { runInProcess } from './support/run-in-process.ts';

interface Described {
  readonly name: string;
  readonly options: readonly { readonly long: string | null }[];
  readonly output: object | null;
}

const describeAll = async () => {
  const { stdout } = await runInProcess(['help', '--json']);
  // Asserted below, member by member.
  return JSON.parse(stdout) as {
    apiVersion: string;
    exitCodes: { code: number; means: string }[];
    globalOptions: { long: string | null }[];
    commands: Described[];
  };
};

/** The command that prints each golden JSON, by the beginning of the file's name. */
const printedBy: Readonly<Record<string, string>> = {
  'admin-list': 'admin list',
  'portal-user-list': 'portal-user list',
  check: 'check',
  gates: 'gates show',
  'order-list': 'order list',
  'order-timeline': 'order timeline',
  order: 'order show',
  'payout-list': 'payout list',
  'payout-show': 'payout show',
  'debit-list': 'debit list',
  'price-ticks': 'price ticks',
  'codes-addresses': 'codes addresses',
  'keys-status': 'keys status',
  'keys-keyring': 'keys keyring',
  'database-status': 'database status',
  'database-rules': 'database rules',
  'migrate-status': 'migrate status',
  'audit-entry': 'audit entry',
  'audit-row': 'audit row',
  'evidence-record': 'evidence record',
  readiness: 'readiness',
  'customer-find': 'customer find',
  'customer-show': 'customer show',
  'kyc-list': 'kyc list',
  'ticket-list': 'ticket list',
  'review-list': 'review list',
  'jobs-list': 'jobs list',
  'webhooks-list': 'webhooks list',
  'ticket-show': 'ticket show',
  reconcile: 'reconcile',
};

const goldenFolder = join(import.meta.dirname, 'golden');
const goldenFiles = readdirSync(goldenFolder).filter((name) => name.endsWith('.json'));

it.each(goldenFiles)('%s keeps to the schema of the command that prints it', async (file) => {
  const start = Object.keys(printedBy).find((name) => file.startsWith(name)) ?? '';
  const { commands } = await describeAll();
  const { output } = commands.find(({ name }) => name === printedBy[start]) ?? {};
  const ajv = new Ajv2020({ strict: false });
  const holds = ajv.compile(output ?? { not: {} });
  const printed: unknown = JSON.parse(readFileSync(join(goldenFolder, file), 'utf8'));
  holds(printed);
  expect(holds.errors).toBeNull();
  expect(printed).toMatchObject({ apiVersion: 'goldctl/v1' });
});

it('describes every command, its options and the exit codes for programs', async () => {
  const { apiVersion, commands, exitCodes, globalOptions } = await describeAll();
  expect(apiVersion).toBe('goldctl/v1');
  expect(exitCodes.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 124, 130, 143]);
  expect(globalOptions.map(({ long }) => long)).toContain('--context');
  const textOnly = commands.filter(({ output }) => output === null).map(({ name }) => name);
  expect(textOnly).toEqual(['help', 'completion']);
  const close = commands.find(({ name }) => name === 'gates close');
  expect(close).toMatchObject({
    arguments: [
      { name: 'gate', choices: ['sell', 'payment', 'accounting-posting', 'accounting-write'] },
    ],
  });
});

it('shows one command’s help, and a topic of the pages', async () => {
  expect((await runInProcess(['help', 'gates', 'open'])).stdout).toContain(
    'Usage: goldctl gates open',
  );
  const check = await runInProcess(['help', 'checks', 'price-feed']);
  expect(check).toMatchObject({ code: 0, stderr: '' });
  expect(check.stdout).toContain('The last tick is not older than 30 s');
  expect((await runInProcess(['help', 'output-and-exit-codes'])).stdout).toContain('124');
  const none = await runInProcess(['help', 'gardening']);
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('Topics: checks, ');
});

it('names a page that is there in every hint', async () => {
  const hints = new Set<string>();
  for (const file of readdirSync(join(import.meta.dirname, '..', 'src'), {
    recursive: true,
    encoding: 'utf8',
  })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join(import.meta.dirname, '..', 'src', file), 'utf8');
    for (const [, words = ''] of text.matchAll(/"goldctl help ([a-z -]+)"/gu)) hints.add(words);
    // A path of the source tree is of no use to somebody who has the package alone.
    expect(text).not.toMatch(/['"`][^'"`\n]*docs\/[a-z/-]+\.md/u);
  }
  expect(hints.size).toBeGreaterThan(2);
  for (const words of hints) {
    expect(await runInProcess(['help', ...words.split(' ')])).toMatchObject({ code: 0 });
  }
});
