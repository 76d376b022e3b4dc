import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { listRows, pageOf } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import { formatPaise } from '../io/money.ts';

/** A case that waits for the decision of an operator. */
const review = z.looseObject({
  kind: z.string(),
  id: z.string(),
  orderId: z.string().nullable(),
  code: z.string(),
  reason: z.string().nullable(),
  amountPaise: z.int(),
  since: z.string(),
});
type Review = z.infer<typeof review>;

/** A page of reviews. */
export const reviewPage = pageOf(review);

const columns = {
  kind: ({ kind }: Review) => kind,
  id: ({ id }: Review) => id,
  order: ({ orderId }: Review) => orderId ?? '-',
  code: ({ code }: Review) => code,
  amount: ({ amountPaise }: Review) => formatPaise(amountPaise),
  since: ({ since }: Review) => since,
  reason: ({ reason }: Review) => reason ?? '-',
};

/** Prints the cases that wait for a decision, oldest first. */
export const listReviews = (
  deps: CliDeps,
  { page, limit }: Paging,
  command: Command,
): Promise<void> =>
  listRows(deps, command, reviewPage, {
    send: (client) => client.get('/v1/reviews', { query: { page, limit } }),
    columns,
    none: 'Nothing waits for a decision.',
  });
