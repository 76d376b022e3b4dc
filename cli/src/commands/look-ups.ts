import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../look-ups/look-up-actions.ts');

/** Creates `goldctl database`, which shows the state of the database, and checks its rules. */
export const createDatabaseCommand = (deps: CliDeps): Command => {
  const database = new Command('database');
  database
    .command('status')
    .description('show whether it takes writes, its time zone, and how many connections are in use')
    .action(async (_options: unknown, self: Command) => (await load()).showDatabase(deps, self));
  database
    .command('rules')
    .description('check every rule that the rows must keep; exit code 3 if one is broken')
    .action(async (_options: unknown, self: Command) => (await load()).checkRules(deps, self));
  return database;
};

/** Creates `goldctl keys`, which shows which secrets the stored values need. */
export const createKeysCommand = (deps: CliDeps): Command => {
  const keys = new Command('keys').addHelpText(
    'after',
    `
A replaced pepper or key may go when no value needs it any more. "goldctl help runbook
rotate-pepper" and "rotate-blind-index-key" have the steps, "restore-and-keys" those of the
keyring.

Examples:
  $ goldctl keys status
  $ goldctl --context prod keys rotate`,
  );
  keys
    .command('status')
    .description('count the values that each pepper and each key of the blind indexes protects')
    .action(async (_options: unknown, self: Command) => (await load()).showKeys(deps, self));
  keys
    .command('keyring')
    .description('count the values that still need an old key of the keyring')
    .action(async (_options: unknown, self: Command) =>
      (await load()).showKeyring(deps, self, 'status'),
    );
  keys
    .command('rotate')
    .description('re-encrypt values of old keys of the keyring with its first key, in one pass')
    .action(async (_options: unknown, self: Command) =>
      (await load()).showKeyring(deps, self, 'rotate'),
    );
  return keys;
};

/** Creates `goldctl price`, which shows the price feed. */
export const createPriceCommand = (deps: CliDeps): Command => {
  const price = new Command('price');
  price
    .command('ticks')
    .description('show the newest ticks of the feed')
    .action(async (_options: unknown, self: Command) => (await load()).showTicks(deps, self));
  return price;
};

/** Creates `goldctl debit`, which shows debits of mandates. */
export const createDebitCommand = (deps: CliDeps): Command => {
  const debit = new Command('debit');
  debit
    .command('list')
    .description(
      'list debits that were due over an hour ago and have no final outcome, oldest first',
    )
    .action(async (_options: unknown, self: Command) => (await load()).listDebits(deps, self));
  return debit;
};

/** Creates `goldctl codes`, which lists the addresses from which codes were requested. */
export const createCodesCommand = (deps: CliDeps): Command => {
  const codes = new Command('codes');
  codes
    .command('addresses')
    .description('list the addresses that codes were requested from in the last two hours')
    .action(async (_options: unknown, self: Command) => (await load()).listAddresses(deps, self));
  return codes;
};
