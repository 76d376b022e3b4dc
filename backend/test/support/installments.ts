import { chooseGateway, sealMandateToken } from '../../src/modules/payments/index.ts';
import { paise } from '../../src/money/index.ts';
import { addMs, addSeconds } from '../../src/platform/clock/clock.ts';
import { endOfIstDay } from '../../src/platform/clock/ist.ts';
import {
  payInstallmentAgain,
  placeInstallment,
  type PlacedInstallment,
} from '../../src/modules/buying/index.ts';
import { eventually } from './eventually.ts';
import type { UntypedCaller } from './caller.ts';
import type { OpenGold } from './open-gold.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';
import { ownRows } from './own-rows.ts';

interface PlanRow {
  readonly id: string;
  readonly userId: string;
  readonly providerUserId: string;
  readonly call: UntypedCaller;
}

export interface TestInstallment extends PlacedInstallment, PlanRow {
  readonly installmentNo: number;
}

const amountPaise = paise(100_000n);

const orderOf = async ({ call, orderId }: TestInstallment) =>
  (await call('GET', `/gold/orders/${orderId}`)).body;
const paymentOf = async ({ call }: PlanRow, paymentOrderId: string) =>
  (await call('GET', `/payments/orders/${paymentOrderId}`)).body;

/** The row of its payment order. */
export const rowOf = (open: OpenGold, { paymentOrderId: id }: TestInstallment) =>
  open.database.db.paymentOrder.findUniqueOrThrow({ where: { id } });

/** The requests for debits of an installment that its gateway has received. */
export const debitsOf = async (open: OpenGold, { paymentOrderId }: TestInstallment) =>
  (await open.gatewayJournal('debit')).filter(({ body }) => body['reference'] === paymentOrderId);

/** The payments of it that its gateway has. */
export const paymentsOf = async (open: OpenGold, given: TestInstallment): Promise<number> => {
  const { gatewayOrderId } = await rowOf(open, given);
  const { body } = await open.sandbox.gateway('GET', `/v1/orders/${gatewayOrderId}/payments`);
  return ownRows(body).length;
};

/** Uses up the tries of a paid installment's allocation, each of which meets `fault`. */
export const exhaustTries = async (
  open: OpenGold,
  { orderId }: TestInstallment,
  operation: string,
  fault: string,
): Promise<void> => {
  await open.fault(operation, fault, { times: 200 });
  for (const seconds of [0, 5, 15, 45, 90, 180]) {
    await open.advance(seconds);
    await open.allocate(orderId);
  }
  await open.sandbox.control('DELETE', '/faults');
};

/**
 * Inserts plans as separate rows, and their installments as the plans' worker would raise them.
 */
export const createInstallmentFixtures = (open: OpenGold) => {
  const { db, inTransaction } = open.database;

  const newPlan = async (): Promise<PlanRow> => {
    const { id: userId, providerUserId, call } = await open.newCustomer();
    const at = open.clock.now();
    const plan = await db.sipPlan.create({
      data: {
        id: crypto.randomUUID(),
        userId,
        status: 'ACTIVE',
        amountPaise,
        frequency: 'MONTHLY',
        durationInstallments: 12,
        startDate: at,
        createdAt: at,
        updatedAt: at,
      },
    });
    return { id: plan.id, userId, providerUserId, call };
  };

  /** Raises the installment of a number in a separate transaction. */
  const raise = async (
    plan: PlanRow,
    installmentNo = 1,
    mandate?: { readonly token: string; readonly dueInSeconds: number },
  ): Promise<TestInstallment> => {
    const dueAt = open.clock.now();
    const gateway = await chooseGateway(open.paymentsDeps);
    const placed = await inTransaction(async (tx) => {
      const { id: planId, userId } = plan;
      const sealer = await open.vault.forUser(tx, userId);
      const data = { installmentsRaised: installmentNo };
      await tx.sipPlan.update({ where: { id: planId }, data });
      return placeInstallment(open.plansDeps, tx, {
        userId,
        planId,
        installmentNo,
        amountPaise,
        dueAt,
        gateway,
        ...(mandate !== undefined && {
          mandate: {
            tokenSealed: sealMandateToken(sealer, userId, mandate.token),
            debitAt: addSeconds(dueAt, mandate.dueInSeconds),
          },
        }),
      });
    });
    return { ...plan, ...placed, installmentNo };
  };

  const payAgain = async ({ orderId, userId }: TestInstallment): Promise<PlacedInstallment> => {
    const gateway = await chooseGateway(open.paymentsDeps);
    const request = { orderId, userId, gateway, requestId: 'req-again' };
    return inTransaction((tx) => payInstallmentAgain(open.plansDeps, tx, request));
  };

  const statusOf = async (given: TestInstallment): Promise<string> => (await orderOf(given)).status;

  /** Runs every job that is due. A job that throws fails the test. */
  const runJobs = async (): Promise<void> => {
    const deps = { db, inTransaction, logger: open.logger };
    const [thrown] = await runQueuedJobs(deps, open.gold.jobs);
    if (thrown !== undefined) throw thrown;
  };

  return {
    newPlan,
    raise,
    payAgain,
    orderOf,
    statusOf,
    becomes: (given: TestInstallment, status: string, code: string | null = null) =>
      eventually(async () => {
        const order = await orderOf(given);
        return order.status === status && order.manual_review_code === code;
      }),
    paymentOf,
    runJobs,
    /** Runs one job, as the worker does when it is due. */
    runJob: async (task: string, payload: object): Promise<void> =>
      open.gold.jobs[task]?.(payload, {
        logger: open.logger,
        jobId: '1',
        attempt: 1,
        maxAttempts: 1,
        signal: new AbortController().signal,
      }),
    /** Raises an installment and opens its checkout. Returns the gateway's order. */
    async payable(plan?: PlanRow): Promise<TestInstallment & { readonly gatewayOrderId: string }> {
      const given = await raise(plan ?? (await newPlan()));
      await runJobs();
      const { checkout } = await paymentOf(given, given.paymentOrderId);
      return { ...given, gatewayOrderId: checkout.gateway_order_id };
    },
    /** Plays the customer's payment at the gateway. Returns its id. */
    async pay(gatewayOrderId: string, more: object = {}): Promise<string> {
      const play = { outcome: 'captured', ...more };
      const response = await open.sandbox.control('POST', `/payments/${gatewayOrderId}`, play);
      return String(response.body['gateway_payment_id']);
    },
    async historyOf({ orderId }: TestInstallment): Promise<string[]> {
      const { body } = await open.as('operator')('GET', `/orders/${orderId}`);
      return body.events.map((event: { to: string }) => event.to);
    },
    async notificationsOf({ userId }: PlanRow): Promise<string[]> {
      const rows = await db.notification.findMany({ where: { userId }, orderBy: { id: 'asc' } });
      return rows.map(({ type }) => type);
    },
  };
};

export type InstallmentFixtures = ReturnType<typeof createInstallmentFixtures>;

/** Goes on to the next 09:00 of India, so that a test of some hours is on one day. */
export const startDay = async (open: OpenGold): Promise<void> => {
  const now = open.clock.now();
  const next = addMs(endOfIstDay(now), 9 * 3_600_000);
  await open.advance((next.getTime() - now.getTime()) / 1000);
};
