import {
  bankAccountRow,
  installmentRow,
  paymentOrderRow,
  productOrderRow,
  sellQuoteRow,
  sipPlanRow,
  userRow,
  type Row,
} from './rows.ts';
import type { LegalRows } from './legal-rows.ts';
import { add, at, run, type TriggerCase, type Work } from './trigger-work.ts';

const leave = ({ userId }: LegalRows): Work =>
  run(
    `UPDATE app_user SET deleted_at = '${at}', phone = NULL, phone_hash = NULL WHERE id = $1`,
    userId,
  );

/** Refuses a row of a customer who is gone. */
const refusesGone = (
  table: string,
  rowOf: (legal: LegalRows) => Row = ({ userId }) => ({ user_id: userId }),
): TriggerCase => ({
  name: `${table}_customer`,
  table,
  work: (legal) => [leave(legal), add(table, rowOf(legal))],
  refuses: new RegExp(`the customer of a new row of ${table} is deleted`, 'u'),
});

/** Gives a setting another version, whatever was written of it. */
const renews = (table: string): TriggerCase => ({
  name: `${table}_version`,
  table,
  work: () => [run(`DELETE FROM ${table} WHERE false`)],
  writes: ['setting_version'],
});

const audit = (): Work => add('audit_log', { action: 'made-up', actor_api: 'admin', at });

/** Triggers of people, settings and the audit. */
export const ofPeople: readonly TriggerCase[] = [
  {
    name: 'app_user_inserted_total',
    table: 'app_user',
    work: () => [add('app_user', userRow())],
    writes: ['running_total'],
  },
  {
    name: 'app_user_single_blanks',
    table: 'app_user',
    work: ({ userId }) => [run(`UPDATE app_user SET full_name = 'A  B' WHERE id = $1`, userId)],
    writes: ['app_user'],
  },
  {
    name: 'app_user_updated_total',
    table: 'app_user',
    work: ({ userId }) => [
      run(`UPDATE app_user SET blocked = true, blocked_reason = 'x' WHERE id = $1`, userId),
    ],
    writes: ['running_total'],
  },
  {
    name: 'portal_user_single_blanks',
    table: 'portal_user',
    work: () => [add('portal_user', { name: 'A  B', role: 'accountant', email: 'a@b.in' })],
    writes: ['portal_user'],
  },
  {
    name: 'audit_log_chain',
    table: 'audit_log',
    work: () => [audit()],
    writes: ['audit_chain'],
  },
  {
    name: 'audit_pending_chain',
    table: 'audit_pending',
    work: () => [audit()],
    writes: ['audit_chain', 'audit_pending'],
  },
  {
    name: 'support_ticket_due',
    table: 'support_ticket',
    work: ({ userId }) => [
      add('support_ticket', {
        user_id: userId,
        category: 'GRIEVANCE',
        status: 'OPEN',
        due_at: null,
      }),
    ],
    writes: ['support_ticket'],
  },
  {
    name: 'notification_customer',
    table: 'notification',
    work: (legal) => [leave(legal), add('notification', { user_id: legal.userId })],
    writes: ['notification'],
  },
  ...['banner', 'feature_flag', 'limits_setting', 'price_config'].map(renews),
  refusesGone('bank_account', ({ userId }) => bankAccountRow(userId)),
  ...['biometric_token', 'kyc_document', 'kyc_record', 'push_token', 'session'].map((table) =>
    refusesGone(table),
  ),
  refusesGone('gold_order', ({ userId, planId }) => installmentRow(userId, planId)),
  refusesGone('gold_quote', ({ userId }) => sellQuoteRow(userId)),
  refusesGone('payment_order', ({ userId, buyOrderId }) => paymentOrderRow(userId, buyOrderId)),
  refusesGone('product_order', ({ userId }) => productOrderRow(userId)),
  refusesGone('sip_plan', ({ userId }) => sipPlanRow(userId)),
];
