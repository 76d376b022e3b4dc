import { newId, paymentOrderRow, payoutAttemptRow, payoutRow, userRow, type Row } from './rows.ts';
import type { LegalRows } from './legal-rows.ts';
import { add, at, run, type TriggerCase, type Work } from './trigger-work.ts';

const payout = ({ userId, sellOrderId, bankAccountId }: LegalRows, row: Row = {}): Work =>
  add('payout', { ...payoutRow(userId, sellOrderId, bankAccountId), ...row });
const payment = ({ userId, buyOrderId }: LegalRows, row: Row = {}): Work =>
  add('payment_order', { ...paymentOrderRow(userId, buyOrderId), ...row });

const reverse = (orderId: string): Work =>
  run(
    `UPDATE referral_reward SET status = 'REVERSED', reversed_at = '${at}', order_id = $1`,
    orderId,
  );

/** Triggers of payments, payouts and rewards. */
export const ofMoney: readonly TriggerCase[] = [
  {
    name: 'month_end_close_revision',
    table: 'month_end_close',
    work: () => [add('month_end_close', { period: '2026-10', revision: 2 })],
    refuses: /month 2026-10 is closed/u,
  },
  {
    name: 'payment_order_made',
    table: 'payment_order',
    work: (legal) => [payment(legal)],
    writes: ['order_part_event'],
  },
  {
    name: 'payment_order_moved',
    table: 'payment_order',
    work: (legal) => [payment(legal), run(`UPDATE payment_order SET status = 'EXPIRED'`)],
    writes: ['order_part_event'],
  },
  {
    name: 'payment_order_debit_try',
    table: 'payment_order',
    work: (legal) => [
      payment(legal, {
        debit_due_at: at,
        debit_status: 'SCHEDULED',
        mandate_token_sealed: 'x',
        holder_id: newId(),
        lease_until: at,
      }),
      run(`UPDATE payment_order SET lease_until = now(), debit_sent_at = '${at}'`),
    ],
    writes: ['order_call_try'],
  },
  {
    name: 'payout_made',
    table: 'payout',
    work: (legal) => [payout(legal)],
    writes: ['order_part_event'],
  },
  {
    name: 'payout_moved',
    table: 'payout',
    work: (legal) => [payout(legal), run(`UPDATE payout SET status = 'PROCESSING'`)],
    writes: ['order_part_event'],
  },
  {
    name: 'payout_count',
    table: 'payout',
    work: (legal) => [payout(legal)],
    writes: ['transaction_count'],
  },
  {
    name: 'payout_noted',
    table: 'payout',
    work: (legal) => [payout(legal)],
    writes: ['transaction_change'],
  },
  {
    name: 'payout_status_noted',
    table: 'payout',
    work: (legal) => [payout(legal), run(`UPDATE payout SET status = 'PROCESSING'`)],
    writes: ['transaction_change'],
  },
  {
    name: 'payout_attempt_try',
    table: 'payout_attempt',
    work(legal) {
      const id = newId();
      return [
        payout(legal, { id }),
        add('payout_attempt', payoutAttemptRow(id, legal.bankAccountId, 1)),
        run(`UPDATE payout_attempt SET holder_id = $1, lease_until = now()`, newId()),
      ];
    },
    writes: ['order_call_try'],
  },
  ...(['noted', 'status_noted'] as const).map((what): TriggerCase => {
    const [referral, referee] = [newId(), userRow()];
    return {
      name: `referral_reward_${what}`,
      table: 'referral_reward',
      work: ({ userId, buyOrderId }) => [
        add('app_user', referee),
        add('referral', {
          id: referral,
          referrer_user_id: userId,
          referee_user_id: referee['id'],
          status: 'APPLIED',
        }),
        add('referral_reward', { referral_id: referral, user_id: userId, status: 'PENDING' }),
        ...(what === 'status_noted' ? [reverse(buyOrderId)] : []),
      ],
      writes: ['list_change'],
    };
  }),
];
