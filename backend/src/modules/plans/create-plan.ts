import { formatRupees, toSafePaise, type Paise } from '../../money/index.ts';
import { istDate, startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { HeldKey } from '../../platform/idempotency/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { lockHolding } from '../holdings/index.ts';
import { requireApprovedKyc } from '../kyc/index.ts';
import { chooseDebitGateway, sealMandateToken } from '../payments/index.ts';
import type { LimitName, Limits } from '../settings/index.ts';
import type { CreatePlanBody } from './plans.schemas.ts';
import { countActivePlans, countPlansCreated, findPlan, insertPlan } from './plans.store.ts';
import type { Mandate, Plan, PlansDeps } from './plans.types.ts';
import { dueAtOf, lastStartDate } from './schedule.rules.ts';

interface CreatePlanRequest {
  readonly userId: string;
  readonly body: CreatePlanBody;
}

interface CreatedPlan {
  readonly plan: Plan;
  readonly isReplay: boolean;
}

/**
 * The maximum number of active plans of a customer. It keeps one customer from filling a day's
 * installments.
 */
const maxActivePlans = 50;
/**
 * The maximum number of plans that a customer may create on an IST day, including cancelled plans.
 */
const maxPlansPerDay = 10;

const limitExceeded = (limit: LimitName, limits: Limits, bound: string): AppError =>
  new AppError('LIMIT_EXCEEDED', {
    message: `The ${bound} installment of a plan is INR ${formatRupees(limits[limit])}.`,
    field: 'amount_inr',
    details: { limit, limitPaise: toSafePaise(limits[limit]) },
  });

const checkAmount = (amountPaise: Paise, limits: Limits, hasMandate: boolean): void => {
  if (amountPaise < limits.minSipPaise) throw limitExceeded('minSipPaise', limits, 'smallest');
  if (amountPaise > limits.maxSipPaise) throw limitExceeded('maxSipPaise', limits, 'largest');
  // An installment is also a buy, so the limit of a buy applies.
  if (amountPaise > limits.maxBuyPaise) throw limitExceeded('maxBuyPaise', limits, 'largest');
  if (!hasMandate || amountPaise <= limits.mandateMaxPaise) return;
  throw new AppError('LIMIT_EXCEEDED', {
    message:
      `A mandate can pay at most INR ${formatRupees(limits.mandateMaxPaise)} at a time. ` +
      'Choose a smaller amount, or pay each installment yourself.',
    field: 'amount_inr',
    details: { limit: 'mandateMaxPaise', limitPaise: toSafePaise(limits.mandateMaxPaise) },
  });
};

/**
 * Throws if the customer has reached the maximum number of active plans or of plans created today.
 * Locks the holding first, so that concurrent requests are counted one after another.
 */
const requirePlanLimits = async (
  { metrics, clock }: Pick<PlansDeps, 'metrics' | 'clock'>,
  tx: Db,
  userId: string,
): Promise<void> => {
  await lockHolding(tx, userId);
  if ((await countActivePlans(tx, userId)) >= maxActivePlans) {
    metrics.countBoundReached('active_plans');
    throw new AppError('LIMIT_EXCEEDED', {
      message: `You can have at most ${maxActivePlans} active plans. Cancel one to start another.`,
      details: { limit: 'activePlans', most: maxActivePlans },
    });
  }
  const today = startOfIstDay(clock.now());
  if ((await countPlansCreated(tx, userId, today)) < maxPlansPerDay) return;
  metrics.countBoundReached('plans_per_day');
  throw new AppError('LIMIT_EXCEEDED', {
    message: `You can start at most ${maxPlansPerDay} plans a day. Please try again tomorrow.`,
    details: { limit: 'plansPerDay', most: maxPlansPerDay },
  });
};

const refuseStart = (message: string): AppError =>
  validationError([{ field: 'start_date', message }]);

const refuseMandateEnd = (message: string): AppError =>
  validationError([{ field: 'mandate_valid_until', message }]);

/**
 * Checks the plan against the mandate's maximum amount and last day, because the bank would refuse a
 * debit beyond them.
 * @throws AppError VALIDATION_FAILED, LIMIT_EXCEEDED
 */
const checkMandate = (body: CreatePlanBody, startDate: string): void => {
  const { mandate_max_inr: maxPaise, mandate_valid_until: lastDay } = body;
  if (body.mandate_token === undefined) {
    const field = maxPaise === undefined ? 'mandate_valid_until' : 'mandate_max_inr';
    if (maxPaise === undefined && lastDay === undefined) return;
    throw validationError([{ field, message: 'requires a mandate_token' }]);
  }
  if (lastDay !== undefined && lastDay < startDate) {
    throw refuseMandateEnd('must not be before the first installment');
  }
  if (maxPaise === undefined || body.amount_inr <= maxPaise) return;
  throw new AppError('LIMIT_EXCEEDED', {
    message: `Your mandate allows INR ${formatRupees(maxPaise)} at a time. Choose a smaller amount.`,
    field: 'amount_inr',
    details: { limit: 'mandateAmount', limitPaise: toSafePaise(maxPaise) },
  });
};

/**
 * Returns the IST date of a plan's first installment, `YYYY-MM-DD`.
 * @throws AppError VALIDATION_FAILED with the field `start_date`
 */
export const startDateOf = (body: CreatePlanBody, now: Date): string => {
  const today = istDate(now);
  const { start_date: startDate = today } = body;
  if (startDate < today) throw refuseStart('must not be in the past');
  if (startDate > lastStartDate(now)) throw refuseStart('must be at most a year ahead');
  return startDate;
};

const loadPlan = async (db: Db, userId: string, id: string): Promise<Plan> => {
  const plan = await findPlan(db, id, userId);
  invariant(plan, `an idempotency key names plan ${id}`);
  return plan;
};

const sealMandate = async (
  { vault }: Pick<PlansDeps, 'vault'>,
  tx: Db,
  { userId, body, token, gateway }: CreatePlanRequest & { token: string; gateway: string },
): Promise<Mandate> => {
  const sealer = await vault.forUser(tx, userId);
  return {
    gateway,
    tokenSealed: sealMandateToken(sealer, userId, token),
    maxPaise: body.mandate_max_inr,
    endsOn: body.mandate_valid_until,
  };
};

const writePlan = async (
  deps: PlansDeps,
  request: CreatePlanRequest,
  key: HeldKey<object>,
): Promise<CreatedPlan> => {
  const { userId, body } = request;
  const { db, inTransaction, clock, random, payments } = deps;
  const startDate = startDateOf(body, clock.now());
  await requireApprovedKyc(db, userId);
  const { mandate_token: token, frequency } = body;
  checkMandate(body, startDate);
  checkAmount(body.amount_inr, await deps.limits.current(), token !== undefined);
  const gateway = token === undefined ? undefined : await chooseDebitGateway(payments);
  const id = random.uuid();
  await inTransaction(async (tx) => {
    await requirePlanLimits(deps, tx, userId);
    const mandate =
      token === undefined || gateway === undefined
        ? undefined
        : await sealMandate(deps, tx, { ...request, token, gateway });
    await insertPlan(tx, {
      id,
      userId,
      amountPaise: body.amount_inr,
      frequency,
      durationInstallments: body.duration_installments,
      startDate,
      mandate,
      nextDueAt: dueAtOf({ startDate, frequency }, 1),
      createdAt: clock.now(),
    });
    await key.bind(tx, id);
    await key.finish(tx);
  });
  return { plan: await loadPlan(db, userId, id), isReplay: false };
};

/**
 * Creates a plan, once for each idempotency key. The worker raises the first installment. Creating a
 * plan takes no money, so it is allowed while the buy gate is closed. The gate is checked for each
 * installment (contract: plans > Plan).
 * @throws AppError VALIDATION_FAILED, KYC_REQUIRED, LIMIT_EXCEEDED, and NO_USABLE_GATEWAY if no
 *   gateway can debit the plan's mandate
 */
export const createPlan = async (
  deps: PlansDeps,
  request: CreatePlanRequest,
  key: HeldKey<object>,
): Promise<CreatedPlan> => {
  const { resourceId } = key;
  if (resourceId === undefined) return writePlan(deps, request, key);
  return { plan: await loadPlan(deps.db, request.userId, resourceId), isReplay: true };
};
