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

/** All entries of an order. They need no pages, because few events happen to one order. */
export const orderTimelineView = z.object({ items: z.array(orderTimelineEntry) });
orderTimelineView.register(z.globalRegistry, {
  id: 'OrderTimeline',
  description: 'Everything that happened to an order, oldest first.',
  examples: [{ items: [exampleOf(orderTimelineEntry)] }],
});

/** Returns a field of an entry as text, or `otherwise` if it is neither a text nor a number. */
const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : otherwise;

type Summarise = (data: OrderTimelineData) => string;

const rupeesText = (value: unknown): string =>
  typeof value === 'number' ? `INR ${formatRupees(paise(BigInt(value)))}` : 'an unknown amount';

const transitionText = ({ from, to, cause }: OrderTimelineData): string =>
  from === undefined
    ? `Created as ${textOf(to)}`
    : `${textOf(from)} to ${textOf(to)} (${textOf(cause)})`;

/** Describes a failure or reversal that a resolution has accounted for. */
const resolvedText = ({ judged }: OrderTimelineData): string =>
  judged === true ? ', resolved' : '';

/** Describes the disposition of a payment that does not pay for the order. */
const dispositionText = ({ disposition }: OrderTimelineData): string =>
  disposition === undefined || disposition === 'APPLIED' ? '' : `, ${textOf(disposition)}`;

const paymentText: Summarise = (data) => {
  const { step, gateway, status, amountPaise, reversal } = data;
  if (step === 'requested') return `Payment of ${rupeesText(amountPaise)} requested`;
  if (step === 'reversed') {
    const kind = reversal === 'DISPUTE' ? 'Lost dispute' : 'Refund';
    return `${kind} of ${rupeesText(amountPaise)}${resolvedText(data)}`;
  }
  if (step === 'failed') {
    const payment = `Captured payment of ${rupeesText(amountPaise)}`;
    return `${payment} failed, reported by ${textOf(gateway)}${resolvedText(data)}`;
  }
  const payment = `Payment of ${rupeesText(amountPaise)}`;
  return `${payment} reported by ${textOf(gateway)}: ${textOf(status)}${dispositionText(data)}`;
};

const payoutTexts: Readonly<Record<string, Summarise>> = {
  requested: ({ amountPaise, approvalRequired }) =>
    `Payout of ${rupeesText(amountPaise)}${approvalRequired === true ? ', waits for approval' : ''}`,
  approved: () => 'Payout approved',
  started: ({ attempt }) => `Payout attempt ${textOf(attempt)} started`,
  sent: ({ attempt, try: number, outcome }) =>
    `Payout attempt ${textOf(attempt)}, try ${textOf(number)}: ${textOf(outcome)}`,
  ended: ({ attempt, outcome }) => `Payout attempt ${textOf(attempt)}: ${textOf(outcome)}`,
  contradicted: ({ attempt }) =>
    `The payout provider contradicted itself on attempt ${textOf(attempt)}`,
};

/** Describes the number of a try after the first one. */
const tryText = (number: unknown): string =>
  typeof number === 'number' && number > 1 ? `, try ${number}` : '';

const summaries: Readonly<Record<OrderTimelineKind, Summarise>> = {
  quote: ({ type, grams }) => `${type === 'SELL' ? 'Sell' : 'Buy'} quote of ${textOf(grams)} g`,
  provider_call: ({ operation, outcome, try: number, step }) =>
    `Gold provider, ${textOf(operation)}${tryText(number)}: ${textOf(outcome)}` +
    (step === 'settled' ? ', found by a query' : ''),
  gateway_call: ({ gateway, operation, outcome, try: number }) =>
    `${textOf(gateway)}, ${textOf(operation)}${tryText(number)}: ${textOf(outcome)}`,
  webhook: ({ event, from, step }) =>
    `${textOf(event, 'Unreadable event')} from ${textOf(from)} ${textOf(step)}`,
  transition: transitionText,
  resolution: (data) => `${textOf(data['resolution'], 'Resolved')}: ${transitionText(data)}`,
  payment: paymentText,
  payment_transition: ({ from, to }) => `Payment order: ${textOf(from)} to ${textOf(to)}`,
  payout_transition: ({ from, to }) => `Payout: ${textOf(from)} to ${textOf(to)}`,
  movement: ({ movement, grams }) => `${textOf(movement)} of ${textOf(grams)} g`,
  reservation: ({ step, grams }) =>
    `${step === 'reserved' ? 'Reserved' : 'Released'} ${textOf(grams)} g`,
  payout_attempt: (data) => payoutTexts[textOf(data['step'])]?.(data) ?? 'Payout',
  job: ({ task, status }) => `Job ${textOf(task)} is ${textOf(status)}`,
};

export const presentOrderTimelineEntry = ({ at, kind, actor, data }: OrderTimelineEntry) => ({
  at: at.toISOString(),
  kind,
  ...(actor !== null && { actor }),
  summary: summaries[kind](data),
  data,
});
