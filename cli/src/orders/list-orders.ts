import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { given, listRows, pageOf } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import { rupees } from './order.ts';
import type { OrderStatus } from './order-statuses.ts';

const listedOrder = z.looseObject({
  id: z.string(),
  user_id: z.string(),
  type: z.string(),
  status: z.string(),
  amount_inr: z.string(),
  grams: z.string().nullable(),
  manual_review_code: z.string().nullable(),
  created_at: z.string(),
});
type ListedOrder = z.infer<typeof listedOrder>;

/** A page of orders. */
export const orderPage = pageOf(listedOrder);

const columns = {
  order: ({ id }: ListedOrder) => id,
  type: ({ type }: ListedOrder) => type,
  status: ({ status }: ListedOrder) => status,
  amount: ({ amount_inr: amount }: ListedOrder) => rupees(amount),
  grams: ({ grams }: ListedOrder) => grams ?? '-',
  review: ({ manual_review_code: code }: ListedOrder) => code ?? '-',
  customer: ({ user_id: customer }: ListedOrder) => customer,
  created: ({ created_at: created }: ListedOrder) => created,
};

export interface ListOptions extends Paging {
  readonly customer?: string;
  readonly status?: OrderStatus;
}

/** Prints orders, newest first. */
export const listOrders = (
  deps: CliDeps,
  { customer, status, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, orderPage, {
    send: (client) =>
      client.get('/v1/orders', { query: given({ page, limit, status, userId: customer }) }),
    columns,
    none: 'There are no such orders.',
  });
