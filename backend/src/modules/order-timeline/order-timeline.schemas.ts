import { z } from 'zod';
import { formatRupees, paise } from '../../money/index.ts';
import { exampleOf } from '../../platform/http/index.ts';
import {
  orderTimelineKinds,
  type OrderTimelineData,
  type OrderTimelineEntry,
  type OrderTimelineKind,
} from './order-timeline.types.ts';

const orderTimelineEntry = z.object({
  at: z.iso.datetime(),
  kind: z.enum(orderTimelineKinds),
  actor: z.string().optional(),
  summary: z.string().describe('A sentence for people to read. It may change.'),
  data: z.record(z.string(), z.unknown()),
});
orderTimelineEntry.register(z.globalRegistry, {
  id: 'OrderTimelineEntry',
  description: 'An event in the life of a gold order, with the ids that identify it.',
  examples: [
    {
      at: '2026-01-15T09:30:00.000Z',
      kind: 'quote',
      summary: 'Buy quote of 0.0668 g',
      data: {
        quoteId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
        type: 'BUY',
        grams: '0.0668',
        pricePerGramPaise: 1_453_000,
        totalPaise: 100_050,
      },
    },
  ],
});

/** All of an order's entries: what happens to one order is never more than a page. */
export const orderTimelineView = z.object({ items: z.array(orderTimelineEntry) });
orderTimelineView.register(z.globalRegistry, {
  id: 'OrderTimeline',
  description: 'Everything that happened to an order, oldest first.',
  examples: [{ items: [exampleOf(orderTimelineEntry)] }],
});

/** Shows a field of an entry, which is text or a number, in a summary. */
const show = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : otherwise;

type Summarise = (data: OrderTimelineData) => string;

const rupees = (value: unknown): string =>
  typeof value === 'number' ? `INR ${formatRupees(paise(BigInt(value)))}` : 'an unknown amount';

const transitionText = ({ from, to, cause }: OrderTimelineData): string =>
  from === undefined ? `Created as ${show(to)}` : `${show(from)} to ${show(to)} (${show(cause)})`;

/** True if a resolution has considered the payment's failure or reversal. */
const judged = ({ judged: isJudged }: OrderTimelineData): string =>
  isJudged === true ? ', judged' : '';

/** Names a standing by which a payment did not pay for the order. */
const standing = ({ disposition }: OrderTimelineData): string =>
  disposition === undefined || disposition === 'APPLIED' ? '' : `, ${show(disposition)}`;

const paymentText: Summarise = (data) => {
  const { step, gateway, status, amountPaise, reversal } = data;
  if (step === 'requested') return `Payment of ${rupees(amountPaise)} requested`;
  if (step === 'reversed') {
    const what = reversal === 'DISPUTE' ? 'Lost dispute' : 'Refund';
    return `${what} of ${rupees(amountPaise)}${judged(data)}`;
  }
  if (step === 'failed') {
    const payment = `Captured payment of ${rupees(amountPaise)}`;
    return `${payment} failed, says ${show(gateway)}${judged(data)}`;
  }
  const payment = `Payment of ${rupees(amountPaise)}`;
  return `${payment} reported by ${show(gateway)}: ${show(status)}${standing(data)}`;
};

const payoutTexts: Readonly<Record<string, Summarise>> = {
  requested: ({ amountPaise, approvalRequired }) =>
    `Payout of ${rupees(amountPaise)}${approvalRequired === true ? ', waits for approval' : ''}`,
  approved: () => 'Payout approved',
  started: ({ attempt }) => `Payout attempt ${show(attempt)} started`,
  sent: ({ attempt, try: number, outcome }) =>
    `Payout attempt ${show(attempt)}, try ${show(number)}: ${show(outcome)}`,
  ended: ({ attempt, outcome }) => `Payout attempt ${show(attempt)}: ${show(outcome)}`,
  contradicted: ({ attempt }) =>
    `The payout provider contradicted itself on attempt ${show(attempt)}`,
};

/** Names a try after the first one. */
const retried = (number: unknown): string =>
  typeof number === 'number' && number > 1 ? `, try ${number}` : '';

const summaries: Readonly<Record<OrderTimelineKind, Summarise>> = {
  quote: ({ type, grams }) => `${type === 'SELL' ? 'Sell' : 'Buy'} quote of ${show(grams)} g`,
  provider_call: ({ operation, outcome, try: number, step }) =>
    `Gold provider, ${show(operation)}${retried(number)}: ${show(outcome)}` +
    (step === 'settled' ? ', as it says when asked' : ''),
  gateway_call: ({ gateway, operation, outcome, try: number }) =>
    `${show(gateway)}, ${show(operation)}${retried(number)}: ${show(outcome)}`,
  webhook: ({ event, from, step }) =>
    `${show(event, 'Unreadable event')} from ${show(from)} ${show(step)}`,
  transition: transitionText,
  resolution: (data) => `${show(data['resolution'], 'Resolved')}: ${transitionText(data)}`,
  payment: paymentText,
  payment_transition: ({ from, to }) => `Payment order: ${show(from)} to ${show(to)}`,
  payout_transition: ({ from, to }) => `Payout: ${show(from)} to ${show(to)}`,
  movement: ({ movement, grams }) => `${show(movement)} of ${show(grams)} g`,
  reservation: ({ step, grams }) =>
    `${step === 'reserved' ? 'Reserved' : 'Released'} ${show(grams)} g`,
  payout_attempt: (data) => payoutTexts[show(data['step'])]?.(data) ?? 'Payout',
  job: ({ task, status }) => `Job ${show(task)} is ${show(status)}`,
};

export const presentOrderTimelineEntry = ({ at, kind, actor, data }: OrderTimelineEntry) => ({
  at: at.toISOString(),
  kind,
  ...(actor !== null && { actor }),
  summary: summaries[kind](data),
  data,
});
