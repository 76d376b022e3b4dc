import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { createAdminApi } from '../clients/admin-api.ts';
import { findCredential, forgetCredential, keepCredential } from '../clients/credentials.ts';
import { signIn } from '../clients/sign-in.ts';
import { findAdminAddress, type AdminAddress } from '../contexts/admin-address.ts';
import { globalOptionsOf, type GlobalOptions } from '../global-options.ts';
import { printResult, renderPairs } from '../io/output.ts';
import { readPassword } from '../io/read-password.ts';

/** A sign-in, as it is printed. */
export const sessionOutput = z.object({
  api: z.string(),
  email: z.string(),
  role: z.string(),
  expiresAt: z.string(),
});

/** The end of a sign-in, as it is printed. */
export const signedOutOutput = z.object({ api: z.string(), forgotten: z.boolean() });

interface Kept {
  readonly email: string;
  readonly role: string;
  readonly expiresAt: string;
}

const print = (deps: CliDeps, options: GlobalOptions, { key }: AdminAddress, kept: Kept): void => {
  const { email, role, expiresAt } = kept;
  const data = { api: key, email, role, expiresAt };
  const text = renderPairs([
    ['signed in as', `${email} (${role})`],
    ['at', key],
    ['until', expiresAt],
  ]);
  printResult(deps, options.output, { data, text });
};

const withAddress = async (
  deps: CliDeps,
  command: Command,
  work: (address: AdminAddress, options: GlobalOptions) => Promise<void>,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const address = await findAdminAddress(deps, options);
  try {
    await work(address, options);
  } finally {
    await address.close();
  }
};

/**
 * Returns the account to sign in with.
 * @throws CliError usage without an email address
 */
const accountOf = async (deps: CliDeps, options: GlobalOptions, address: AdminAddress) => {
  const { email } = options;
  if (email !== undefined) {
    return { email, password: await readPassword(deps, options, `Password of ${email}:`) };
  }
  if (address.account !== undefined) return address.account.SUPER_ADMIN;
  throw new CliError('no operator is given', exitCodes.usage, 'Give --email <email>.');
};

/** Signs an operator in and stores the token. */
export const logIn = (deps: CliDeps, command: Command): Promise<void> =>
  withAddress(deps, command, async (address, options) => {
    const { baseUrl } = address;
    const account = await accountOf(deps, options, address);
    const api = createAdminApi({ baseUrl, signal: deps.signal });
    const answer = await signIn(deps, api, account);
    const { accessToken: token, expiresIn, admin } = answer;
    const expiresAt = new Date(deps.now().getTime() + expiresIn * 1000).toISOString();
    const kept = { email: admin.email, role: admin.role, token, expiresAt };
    keepCredential(deps, address.key, kept);
    print(deps, options, address, kept);
    if (answer.mustEnrolSecondFactor) {
      deps.stderr('Set up an authenticator app with "goldctl second-factor enrol".\n');
    }
  });

/** Deletes the stored sign-in. */
export const logOut = (deps: CliDeps, command: Command): Promise<void> =>
  withAddress(deps, command, async ({ key }, options) => {
    const forgotten = forgetCredential(deps, key);
    const text = forgotten ? `signed out at ${key}` : `nobody was signed in at ${key}`;
    printResult(deps, options.output, { data: { api: key, forgotten }, text });
  });

/** Prints the stored sign-in if the API accepts its token. */
export const showSession = (deps: CliDeps, command: Command): Promise<void> =>
  withAddress(deps, command, async (address, options) => {
    const kept = findCredential(deps, address.key);
    if (kept === undefined) {
      const hint = 'Sign in with "goldctl login".';
      throw new CliError(`not signed in at ${address.key}`, exitCodes.denied, hint);
    }
    const { baseUrl } = address;
    const api = createAdminApi({ baseUrl, token: kept.token, signal: deps.signal });
    // The request tests the token. Every role may read orders.
    await api(z.unknown(), (client) => client.get('/v1/orders', { query: { limit: 1 } }));
    print(deps, options, address, kept);
  });
