import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { findAdminAddress, type AdminAddress } from '../contexts/admin-address.ts';
import type { GlobalOptions } from '../global-options.ts';
import { readPassword } from '../io/read-password.ts';
import { createAdminApi, type AdminApi } from './admin-api.ts';
import { findCredential } from './credentials.ts';
import { signIn } from './sign-in.ts';

/** A signed-in connection to an admin API. */
interface AdminConnection {
  readonly api: AdminApi;
  readonly address: AdminAddress;
}

/** Returns the account to sign in with, or undefined if there is none. */
const accountOf = async (deps: CliDeps, options: GlobalOptions, address: AdminAddress) => {
  const { email } = options;
  if (email === undefined) return address.account?.SUPER_ADMIN;
  return { email, password: await readPassword(deps, options, `Password of ${email}:`) };
};

/**
 * Returns a token from the first of four sources. These are GOLDCTL_TOKEN, the sign-in that
 * `goldctl login` stored, `--email` with its password, and the account that a local stack publishes.
 */
const tokenFor = async (
  deps: CliDeps,
  options: GlobalOptions,
  address: AdminAddress,
): Promise<string> => {
  const given = deps.env['GOLDCTL_TOKEN'] ?? '';
  if (given !== '') return given;
  const kept = findCredential(deps, address.key);
  if (kept !== undefined && (options.email ?? kept.email) === kept.email) return kept.token;
  const account = await accountOf(deps, options, address);
  if (account === undefined) {
    throw new CliError(
      `not signed in at ${address.key}`,
      exitCodes.denied,
      'Sign in with "goldctl login --email <email>", or give --email to each command.',
    );
  }
  const { baseUrl } = address;
  const api = createAdminApi({ baseUrl, signal: deps.signal });
  return (await signIn(deps, api, account)).accessToken;
};

/**
 * Runs `work` with the admin API of the chosen context, then closes the connection.
 * @throws CliError denied if no operator is signed in, unreachable if the API does not respond
 * @throws RefusalError if the API refuses
 */
export const withAdmin = async <T>(
  deps: CliDeps,
  options: GlobalOptions,
  work: (connection: AdminConnection) => Promise<T>,
): Promise<T> => {
  const address = await findAdminAddress(deps, options);
  try {
    const token = await tokenFor(deps, options, address);
    const { baseUrl } = address;
    return await work({ api: createAdminApi({ baseUrl, token, signal: deps.signal }), address });
  } finally {
    await address.close();
  }
};
