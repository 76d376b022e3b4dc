import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { createAdminApi } from '../clients/admin-api.ts';
import { findCredential, keepCredential } from '../clients/credentials.ts';
import { readCode } from '../clients/sign-in.ts';
import { findAdminAddress } from '../contexts/admin-address.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult } from '../io/output.ts';
import { readPassword } from '../io/read-password.ts';

const secretForm = z.object({ secret: z.string(), address: z.string() });
const confirmedForm = z.object({
  accessToken: z.string(),
  expiresIn: z.int().positive(),
  recoveryCodes: z.array(z.string()),
});

/** The output after an authenticator app is set up. */
export const enrolledOutput = z.object({
  api: z.string(),
  email: z.string(),
  recoveryCodes: z.array(z.string()),
});

/** Sets up the authenticator app of the signed-in operator, and stores the new sign-in. */
export const enrolFactor = async (deps: CliDeps, command: Command): Promise<void> => {
  const options = globalOptionsOf(command);
  const address = await findAdminAddress(deps, options);
  try {
    const { key, baseUrl } = address;
    const kept = findCredential(deps, key);
    if (kept === undefined) {
      const hint = 'Sign in with "goldctl login --email <email>".';
      throw new CliError(`not signed in at ${key}`, exitCodes.denied, hint);
    }
    const { email, role, token } = kept;
    const api = createAdminApi({ baseUrl, token, signal: deps.signal });
    const password = await readPassword(deps, options, `Password of ${email}:`);
    const { secret, address: uri } = await api(secretForm, (client) =>
      client.post('/v1/auth/second-factor/enrol', { body: { password } }),
    );
    deps.stderr(`Add this account to your authenticator app:\n\n  ${secret}\n  ${uri}\n\n`);
    const code = await readCode(deps);
    const { accessToken, expiresIn, recoveryCodes } = await api(confirmedForm, (client) =>
      client.post('/v1/auth/second-factor/confirm', { body: { code } }),
    );
    const expiresAt = new Date(deps.now().getTime() + expiresIn * 1000).toISOString();
    keepCredential(deps, key, { email, role, token: accessToken, expiresAt });
    const text = [
      `${email} has an authenticator app now. Each of these codes stands for it once.`,
      'Keep them where the phone is not:',
      ...recoveryCodes.map((each) => `  ${each}`),
    ].join('\n');
    printResult(deps, options.output, { data: { api: key, email, recoveryCodes }, text });
  } finally {
    await address.close();
  }
};
