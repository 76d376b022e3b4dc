import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { RefusalError, type AdminApi } from './admin-api.ts';

const signedIn = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive(),
  admin: z.object({ id: z.string(), email: z.string(), role: z.string() }),
  /** Absent from versions of the API without second factors. */
  mustEnrolSecondFactor: z.boolean().default(false),
});

interface Account {
  readonly email: string;
  readonly password: string;
}

/**
 * Returns the code of the authenticator app, from GOLDCTL_CODE or the terminal.
 * @throws CliError usage without a terminal
 */
export const readCode = async (deps: CliDeps): Promise<string> => {
  const given = deps.env['GOLDCTL_CODE'] ?? '';
  if (given !== '') return given;
  try {
    return (await deps.promptSecret('Code of the authenticator app, or a recovery code:')).trim();
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.usage) throw error;
    throw new CliError(
      'the code of an authenticator app is required, and there is no terminal to prompt on',
      exitCodes.usage,
      'Pass it in GOLDCTL_CODE.',
    );
  }
};

/**
 * Signs an operator in at the admin API, with the code of their authenticator app if they have one.
 * @throws RefusalError if the API refuses, CliError usage if it cannot prompt for a code
 */
export const signIn = async (deps: CliDeps, api: AdminApi, account: Account) => {
  const send = (code?: string) =>
    api(signedIn, (client) =>
      client.post('/v1/auth/login', { body: { ...account, ...(code !== undefined && { code }) } }),
    );
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RefusalError) || error.code !== 'SECOND_FACTOR_REQUIRED') throw error;
    return send(await readCode(deps));
  }
};
