import { z } from 'zod';
import { environmentOf } from '../../dev/stack/environment.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import { serverBundle } from '../support/build-servers.ts';
import type { BenchStack } from '../support/open-stack.ts';

const customersSchema = z.array(
  z.object({
    userId: z.string(),
    phone: z.string(),
    providerUserId: z.string(),
    token: z.string(),
  }),
);

export type BenchCustomer = z.output<typeof customersSchema>[number];

/** Approved customers with an access token each, good for 15 minutes. */
export const makeCustomers = async (
  stack: BenchStack,
  count: number,
): Promise<readonly BenchCustomer[]> => {
  const env = { ...environmentOf('customer', stack.addresses), COUNT: String(count) };
  const said = await runOrThrow(process.execPath, [serverBundle('make-customers')], { env });
  return customersSchema.parse(JSON.parse(said));
};
