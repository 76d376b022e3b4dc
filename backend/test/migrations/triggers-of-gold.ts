import {
  confirmRow,
  holdingRow,
  installmentRow,
  movementRow,
  newId,
  sipPlanRow,
  userRow,
} from './rows.ts';
import type { LegalRows } from './legal-rows.ts';
import { add, at, run, type TriggerCase, type Work } from './trigger-work.ts';

const holder = (): Work[] => {
  const user = userRow();
  return [add('app_user', user), add('holding', { ...holdingRow(user['id']), balance: '1' })];
};
const holding = ({ userId }: LegalRows): Work =>
  run('UPDATE holding SET balance = 1 WHERE user_id = $1', userId);

/** Triggers of gold orders, holdings and plans. */
export const ofGold: readonly TriggerCase[] = [
  {
    name: 'gold_order_count',
    table: 'gold_order',
    work: ({ userId, planId }) => [add('gold_order', installmentRow(userId, planId))],
    writes: ['transaction_count'],
  },
  {
    name: 'gold_order_noted',
    table: 'gold_order',
    work: ({ userId, planId }) => [add('gold_order', installmentRow(userId, planId))],
    writes: ['transaction_change'],
  },
  {
    name: 'gold_order_status_noted',
    table: 'gold_order',
    work: ({ buyOrderId }) => [
      run(`UPDATE gold_order SET status = 'FAILED' WHERE id = $1`, buyOrderId),
    ],
    writes: ['transaction_change'],
  },
  { name: 'holding_inserted_total', table: 'holding', work: holder, writes: ['running_total'] },
  {
    name: 'holding_inserted_unproven',
    table: 'holding',
    work: holder,
    writes: ['unproven_holding'],
  },
  {
    name: 'holding_updated_total',
    table: 'holding',
    work: (legal) => [holding(legal)],
    writes: ['running_total'],
  },
  {
    name: 'holding_updated_unproven',
    table: 'holding',
    work: (legal) => [holding(legal)],
    writes: ['unproven_holding'],
  },
  {
    name: 'holding_movement_unproven',
    table: 'holding_movement',
    work: ({ userId, buyOrderId }) => [add('holding_movement', movementRow(userId, buyOrderId))],
    writes: ['unproven_holding'],
  },
  {
    name: 'holding_movement_confirms_sale',
    table: 'holding_movement',
    work: ({ userId, sellOrderId }) => [
      add('holding_movement', {
        ...movementRow(userId, sellOrderId),
        kind: 'DEBIT',
        grams: '-0.1',
        invested_paise: -100,
      }),
    ],
    writes: ['gold_order'],
  },
  {
    name: 'provider_operation_try',
    table: 'provider_operation',
    work: ({ buyOrderId }) => [
      add('provider_operation', {
        ...confirmRow(buyOrderId),
        holder_id: newId(),
        lease_until: at,
      }),
    ],
    writes: ['order_call_try'],
  },
  {
    name: 'sip_plan_next_due',
    table: 'sip_plan',
    work: ({ planId }) => [
      run(
        `UPDATE sip_plan SET installments_raised = 1, next_due_at = next_due_at WHERE id = $1`,
        planId,
      ),
    ],
    refuses: /would fall due on a date that it has passed over/u,
  },
  {
    name: 'sip_plan_noted',
    table: 'sip_plan',
    work: ({ userId }) => [add('sip_plan', sipPlanRow(userId))],
    writes: ['list_change'],
  },
  {
    name: 'sip_plan_status_noted',
    table: 'sip_plan',
    work: ({ planId }) => [
      run(`UPDATE sip_plan SET status = 'CANCELLED', cancelled_at = '${at}' WHERE id = $1`, planId),
    ],
    writes: ['list_change'],
  },
];
