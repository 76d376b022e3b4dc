import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin, confirmed, given, listRows, pageOf, printOne } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import { formatPaise } from '../io/money.ts';
import { maskedEmail, maskedName, maskedPhone } from './mask.ts';

/** A customer. Personal data is masked in every output, including JSON. */
export const customerForm = z.object({
  id: z.string(),
  phone: z.string().nullable().transform(maskedPhone),
  email: z.string().nullable().transform(maskedEmail),
  full_name: z.string().nullable().transform(maskedName),
  kycStatus: z.string(),
  mpinSet: z.boolean(),
  blocked: z.boolean(),
  createdAt: z.string(),
  deletedAt: z.string().nullable(),
});
type Customer = z.infer<typeof customerForm>;

/** A page of customers. */
export const customerPage = pageOf(customerForm);

/** A customer with the holding, bank accounts and security events. */
export const customerDetail = customerForm.extend({
  holding: z.looseObject({ balance: z.string(), reserved: z.string(), investedPaise: z.int() }),
  bankAccounts: z.array(z.looseObject({ id: z.string() })),
  securityEvents: z.array(z.object({ kind: z.string(), count: z.int(), at: z.string() })),
});

const stateOf = ({ blocked, deletedAt }: Customer): string => {
  if (deletedAt !== null) return 'deleted';
  return blocked ? 'blocked' : 'active';
};

const columns = {
  customer: ({ id }: Customer) => id,
  name: ({ full_name: name }: Customer) => name ?? '-',
  phone: ({ phone }: Customer) => phone ?? '-',
  email: ({ email }: Customer) => email ?? '-',
  KYC: ({ kycStatus }: Customer) => kycStatus,
  state: stateOf,
  since: ({ createdAt }: Customer) => createdAt,
};

const pairsOf = (customer: Customer): (readonly [string, string])[] => [
  ['customer', customer.id],
  ['name', customer.full_name ?? '-'],
  ['phone', customer.phone ?? '-'],
  ['email', customer.email ?? '-'],
  ['KYC', customer.kycStatus],
  ['state', stateOf(customer)],
  ['since', customer.createdAt],
];

/** Prints the customers whose id, phone or email is the text, or whose name contains it. */
export const findCustomers = (
  deps: CliDeps,
  text: string,
  { page, limit }: Paging,
  command: Command,
): Promise<void> =>
  listRows(deps, command, customerPage, {
    send: (client) => client.get('/v1/users', { query: { q: text, page, limit } }),
    columns,
    none: 'Nobody is found.',
  });

/** Prints one customer, with the holding, the accounts and the newest security events. */
export const showCustomer = async (deps: CliDeps, id: string, command: Command): Promise<void> => {
  const found = await askAdmin(deps, command, customerDetail, (client) =>
    client.get('/v1/users/{id}', { path: { id } }),
  );
  const { balance, reserved, investedPaise } = found.holding;
  printOne(deps, command, found, [
    ...pairsOf(found),
    ['gold', `${balance} g, ${reserved} g of it reserved`],
    ['invested', formatPaise(investedPaise)],
    ['bank accounts', String(found.bankAccounts.length)],
    ...found.securityEvents
      .slice(0, 5)
      .map(({ at, kind, count }) => [at, count === 1 ? kind : `${kind}, ${count} times`] as const),
  ]);
};

export interface BlockOptions {
  readonly reason?: string;
  readonly yes?: boolean;
}

/** Blocks or unblocks a customer. */
export const setBlocked = async (
  deps: CliDeps,
  { id, blocked }: { readonly id: string; readonly blocked: boolean },
  { reason, yes }: BlockOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `${blocked ? 'Block' : 'Unblock'} customer ${id}?`, yes);
  const body = { blocked, ...given({ reason }) };
  const changed = await askAdmin(deps, command, customerForm, (client) =>
    client.patch('/v1/users/{id}/block', { path: { id }, body }),
  );
  printOne(deps, command, changed, pairsOf(changed));
};
