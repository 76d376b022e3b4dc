import { z } from 'zod';
import { environmentOf, type ProcessEnvironment } from '../../dev/stack/environment.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import { serverBundle } from '../support/build-servers.ts';
import type { BenchStack } from '../support/open-stack.ts';

const customersSchema = z.array(
  z.object({
    userId: z.string(),
    sessionId: z.string(),
    phone: z.string(),
    providerUserId: z.string(),
    token: z.string(),
  }),
);

export type BenchCustomer = z.output<typeof customersSchema>[number];

/** The secrets for creating customers. A process must have the same secrets to serve them. */
const secretNames = new Set(['JWT_SECRET', 'PII_KEYRING', 'BLIND_INDEX_KEY', 'CREDENTIAL_PEPPER']);

/**
 * Creates approved customers, each with an access token that is valid for 15 minutes. The tokens
 * are valid at processes whose environment was changed by `change`.
 */
export const makeCustomers = async (
  stack: BenchStack,
  count: number,
  change: (own: ProcessEnvironment) => ProcessEnvironment = (own) => own,
): Promise<readonly BenchCustomer[]> => {
  const own = environmentOf('customer', stack.addresses);
  const changed = Object.entries(change(own)).filter(([name]) => secretNames.has(name));
  const env = { ...own, ...Object.fromEntries(changed), COUNT: String(count) };
  const output = await runOrThrow(process.execPath, [serverBundle('make-customers')], { env });
  return customersSchema.parse(JSON.parse(output));
};
