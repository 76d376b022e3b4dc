import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { runBackendCommand } from '../clients/backend-command.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';
import { readNewPassword } from '../io/read-password.ts';

/** An account, as the service's own command prints it. */
export const account = z.looseObject({
  id: z.string(),
  email: z.string(),
  /** The name of a portal user. Operators have none. */
  name: z.string().optional(),
  role: z.string(),
  active: z.boolean(),
  createdAt: z.string(),
  lastLoginAt: z.string().nullable(),
});
type Account = z.infer<typeof account>;

/** The kinds of accounts, by the name of the service's own command. */
export type AccountKind = 'admin' | 'portal-user';

/** The accounts as the service's own command lists them. */
export const accountList = z.looseObject({ items: z.array(account) });

const activity = ({ active }: Account): string => (active ? 'active' : 'inactive');

const nameOf = ({ name }: Account): string[] => (name === undefined ? [] : [name]);

const renderAccount = (shown: Account): string =>
  renderPairs([
    ['email', shown.email],
    ...nameOf(shown).map((name) => ['name', name] as const),
    ['role', shown.role],
    ['state', activity(shown)],
    ['id', shown.id],
  ]);

const renderAccounts = (accounts: readonly Account[], isNamed: boolean): string =>
  renderTable(
    ['email', ...(isNamed ? ['name'] : []), 'role', 'state', 'last sign-in', 'id'],
    accounts.map((shown) => [
      shown.email,
      ...nameOf(shown),
      shown.role,
      activity(shown),
      shown.lastLoginAt ?? 'never',
      shown.id,
    ]),
  );

/** Runs one change and prints the changed account. */
export const changeAccount = async (
  deps: CliDeps,
  name: AccountKind,
  command: Command,
  { args, stdin }: { readonly args: readonly string[]; readonly stdin?: string },
): Promise<void> => {
  const options = globalOptionsOf(command);
  const changed = await runBackendCommand(deps, resolveContext(deps, options), {
    args: [name, ...args],
    ...(stdin !== undefined && { stdin }),
    answer: account,
  });
  printResult(deps, options.output, { data: changed, text: renderAccount(changed) });
};

/** Returns the new password of an account. On a terminal, it is prompted for twice. */
export const newPassword = (deps: CliDeps, command: Command, email: string): Promise<string> =>
  readNewPassword(deps, globalOptionsOf(command), `New password of ${email}:`);

/** Prints all accounts of a kind, oldest first. */
export const listAccounts = async (
  deps: CliDeps,
  kind: { readonly name: AccountKind; readonly isNamed: boolean },
  command: Command,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const listing = { args: [kind.name, 'list'], answer: accountList };
  const list = await runBackendCommand(deps, resolveContext(deps, options), listing);
  printResult(deps, options.output, { data: list, text: renderAccounts(list.items, kind.isNamed) });
};
