import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin, confirmed, given, listRows, pageOf, printOne } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import { formatPaise } from '../io/money.ts';
import type { PayoutStatus } from './payout-statuses.ts';

/** A payout of the admin API. */
export const payoutForm = z.looseObject({
  id: z.string(),
  orderId: z.string(),
  userId: z.string(),
  status: z.string(),
  amountPaise: z.int(),
  accountLast4: z.string(),
  mode: z.string(),
  attempt: z.int(),
  hold: z.string().nullable(),
  utr: z.string().nullable(),
  failureReason: z.string().nullable(),
  createdAt: z.string(),
  paidAt: z.string().nullable(),
});
type Payout = z.infer<typeof payoutForm>;

/** A page of payouts. */
export const payoutPage = pageOf(payoutForm);

/** A payout with its attempts, newest first. */
export const payoutDetail = payoutForm.extend({
  attempts: z.array(
    z.looseObject({
      attempt: z.int(),
      status: z.string(),
      providerPayoutId: z.string().nullable(),
      startedAt: z.string(),
      contradictedAt: z.string().nullable(),
    }),
  ),
});

const pairsOf = (payout: Payout): readonly (readonly [string, string])[] => [
  ['payout', payout.id],
  ['order', payout.orderId],
  ['customer', payout.userId],
  ['status', payout.status],
  ['amount', formatPaise(payout.amountPaise)],
  ['to', `account ending in ${payout.accountLast4}, by ${payout.mode}`],
  ['attempt', String(payout.attempt)],
  ['held', payout.hold ?? '-'],
  ['bank reference', payout.utr ?? '-'],
  ['failure', payout.failureReason ?? '-'],
  ['created', payout.createdAt],
  ['paid', payout.paidAt ?? '-'],
];

const columns = {
  payout: ({ id }: Payout) => id,
  status: ({ status }: Payout) => status,
  amount: ({ amountPaise }: Payout) => formatPaise(amountPaise),
  account: ({ accountLast4 }: Payout) => `…${accountLast4}`,
  attempt: ({ attempt }: Payout) => String(attempt),
  held: ({ hold }: Payout) => hold ?? '-',
  failure: ({ failureReason }: Payout) => failureReason ?? '-',
  created: ({ createdAt }: Payout) => createdAt,
};

export interface ListOptions extends Paging {
  readonly status?: PayoutStatus;
}

/** Prints payouts of a status. The default is the payouts that are still to be paid. */
export const listPayouts = (
  deps: CliDeps,
  { status, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, payoutPage, {
    send: (client) => client.get('/v1/payouts', { query: given({ page, limit, status }) }),
    columns,
    none: 'There are no such payouts.',
  });

/** Prints one payout with its attempts. */
export const showPayout = async (deps: CliDeps, id: string, command: Command): Promise<void> => {
  const payout = await askAdmin(deps, command, payoutDetail, (client) =>
    client.get('/v1/payouts/{id}', { path: { id } }),
  );
  printOne(deps, command, payout, [
    ...pairsOf(payout),
    ...payout.attempts.map(
      ({ attempt, startedAt, status, providerPayoutId, contradictedAt }) =>
        [
          `attempt ${attempt}`,
          [
            `${startedAt}: ${status}`,
            providerPayoutId ?? 'not known to the provider',
            ...(contradictedAt === null ? [] : [`contradicted at ${contradictedAt}`]),
          ].join(', '),
        ] as const,
    ),
  ]);
};

export interface ChangeOptions {
  readonly yes?: boolean;
  readonly note?: string;
}

/** Approves a payout, which sends it. */
export const approvePayout = async (
  deps: CliDeps,
  id: string,
  { yes }: ChangeOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Send payout ${id}?`, yes);
  const payout = await askAdmin(deps, command, payoutForm, (client) =>
    client.post('/v1/payouts/{id}/approve', { path: { id } }),
  );
  printOne(deps, command, payout, pairsOf(payout));
};

/** Retries a failed payout. */
export const retryPayout = async (
  deps: CliDeps,
  id: string,
  { yes, note }: ChangeOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Send payout ${id} again?`, yes);
  const body = note === undefined ? {} : { note };
  const payout = await askAdmin(deps, command, payoutForm, (client) =>
    client.post('/v1/payouts/{id}/retry', { path: { id }, body }),
  );
  printOne(deps, command, payout, pairsOf(payout));
};
