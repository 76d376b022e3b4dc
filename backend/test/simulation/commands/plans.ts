import { istDay, rupeesText } from '../model/figures.ts';
import type { Customer, World } from '../model/world.ts';
import { allow, busy, hasFaults, numberOf, textOf, type Command } from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';

const frequencyOf = (text: string): 'DAILY' | 'WEEKLY' | 'MONTHLY' =>
  text === 'WEEKLY' || text === 'MONTHLY' ? text : 'DAILY';

/**
 * Returns true if a customer has reached a limit of plans, which is ten started on one day in
 * India, and fifty open ones.
 */
const hasTooMany = (world: World, c: number): boolean => {
  const own = world.plans.filter(({ customer }) => customer === c);
  const today = own.filter(({ madeAt }) => istDay(madeAt) === istDay(world.now));
  const open = own.filter(({ status }) => status === 'ACTIVE' || status === 'PAUSED');
  return today.length >= 10 || open.length >= 50;
};

/** A customer starts a plan, with or without a mandate. */
export const startPlan: Command = {
  name: 'start-plan',
  choose(story, { pick, int, percent }) {
    const isFit = ({ kyc }: Customer) => kyc === 'APPROVED' || percent(5);
    const c = chooseCustomer(story, pick, isFit);
    if (c === undefined) return undefined;
    return {
      c,
      k: story.nextKey,
      amount: pick([1000, 50_000, 999, 100_000 + int(400_000), 1_500_001]) ?? 50_000,
      frequency: pick(['DAILY', 'DAILY', 'WEEKLY', 'MONTHLY']) ?? 'DAILY',
      installments: 1 + int(4),
      mandate: pick(['', '', 'good', 'good', 'fail', 'stuck']) ?? '',
    };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const amountPaise = numberOf(given, 'amount');
    const mandate = textOf(given, 'mandate');
    const k = numberOf(given, 'k');
    const frequency = frequencyOf(textOf(given, 'frequency'));
    const body = {
      amount_inr: rupeesText(amountPaise),
      frequency,
      duration_installments: numberOf(given, 'installments'),
      idempotency_key: `story-key-${k}`,
      ...(mandate !== '' && { mandate_token: `mandate-${mandate}-${k}` }),
    };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/sip', body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        const { limits } = changed;
        const most = Math.min(
          limits.maxSipPaise,
          limits.maxBuyPaise,
          mandate === '' ? limits.maxSipPaise : limits.mandateMaxPaise,
        );
        const isOver = amountPaise < Math.max(1000, limits.minSipPaise) || amountPaise > most;
        const off = changed.disabledGateways.length > 0 || hasFaults(changed);
        const isTooMany = hasTooMany(changed, numberOf(given, 'c'));
        allow('plan', answer, [
          own.deleted || own.blocked
            ? '401 UNAUTHENTICATED'
            : own.kyc !== 'APPROVED'
              ? '403 KYC_REQUIRED'
              : isOver || isTooMany
                ? '400 LIMIT_EXCEEDED'
                : '201',
          ...(mandate !== '' && off ? ['503 NO_USABLE_GATEWAY'] : []),
          ...(amountPaise < 1000 ? ['400 VALIDATION_FAILED'] : []),
          ...busy,
        ]);
        if (answer.status !== 201) return;
        changed.plans.push({
          id: answer.body.id,
          customer: numberOf(given, 'c'),
          amountPaise,
          frequency,
          installments: numberOf(given, 'installments'),
          hasMandate: mandate !== '',
          madeAt: changed.now,
          startDate: answer.body.start_date,
          passedOver: 0,
          checkedPassedOver: 0,
          raised: 0,
          status: 'ACTIVE',
        });
      },
    };
  },
};

/** A customer cancels a plan. */
export const cancelPlan: Command = {
  name: 'cancel-plan',
  choose: ({ world }, { int }) =>
    world.plans.length === 0 ? undefined : { p: int(world.plans.length) },
  prepare({ sessions, world, seen }, given) {
    const plan = world.plans[numberOf(given, 'p')];
    const customer = world.customers[plan?.customer ?? -1];
    if (plan === undefined || customer === undefined) return undefined;
    return {
      call: () => sessions.customer(customer.phone, 'POST', `/v1/gold/sip/${plan.id}/cancel`),
      judge(changed, answer) {
        const own = changed.customers[plan.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        const status = seen.plans.get(plan.id)?.status ?? '';
        const isOpen = status === 'ACTIVE' || status === 'PAUSED';
        const fits = isOpen ? ['200', '409 ILLEGAL_TRANSITION'] : ['409 ILLEGAL_TRANSITION'];
        allow(
          'cancelling a plan',
          answer,
          cannotSignIn ? ['401 UNAUTHENTICATED'] : [...fits, ...busy],
        );
        const cancelled = changed.plans[numberOf(given, 'p')];
        if (answer.status === 200 && cancelled !== undefined) cancelled.status = 'CANCELLED';
      },
    };
  },
};

/** A customer pays an installment that failed or that has no debit. */
export const payInstallment: Command = {
  name: 'pay-installment',
  choose({ world, seen }, { pick }) {
    const fitting = world.buys.flatMap((buy, index) => {
      const status = seen.orders.get(buy.id)?.status ?? '';
      return buy.plan !== undefined && ['FAILED', 'PENDING'].includes(status) ? [index] : [];
    });
    const b = pick(fitting);
    return b === undefined ? undefined : { b };
  },
  prepare({ sessions, world }, given) {
    const known = world.buys[numberOf(given, 'b')];
    const plan = world.plans[known?.plan ?? -1];
    const customer = world.customers[known?.customer ?? -1];
    if (known === undefined || plan === undefined || customer === undefined) return undefined;
    const path = `/v1/gold/sip/${plan.id}/installments/${known.id}/pay`;
    return {
      call: () => sessions.customer(customer.phone, 'POST', path),
      judge(changed, answer) {
        const own = changed.customers[known.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        const gate = changed.gates.buy ? [] : ['503 PAYMENTS_DISABLED'];
        const kyc = own?.kyc === 'APPROVED' ? [] : ['403 KYC_REQUIRED'];
        const usual = [
          '200',
          '201',
          '409 ILLEGAL_TRANSITION',
          '400 LIMIT_EXCEEDED',
          '503 NO_USABLE_GATEWAY',
          '502 GATEWAY_MISMATCH',
          '503 GATEWAY_UNAVAILABLE',
          '409 OUTCOME_UNDECIDED',
        ];
        const refusals = gate.length > 0 ? gate : kyc;
        const allowed = refusals.length > 0 ? refusals : usual;
        allow(
          'paying an installment',
          answer,
          cannotSignIn ? ['401 UNAUTHENTICATED'] : [...allowed, ...busy],
        );
      },
    };
  },
};

/** A customer skips one debit. */
export const skipDebit: Command = {
  name: 'skip-debit',
  choose({ world }, { pick, int }) {
    const p = pick(world.plans.flatMap((plan, index) => (plan.hasMandate ? [index] : [])));
    return p === undefined ? undefined : { p, number: 1 + int(5) };
  },
  prepare({ sessions, world }, given) {
    const plan = world.plans[numberOf(given, 'p')];
    const customer = world.customers[plan?.customer ?? -1];
    if (plan === undefined || customer === undefined) return undefined;
    const path = `/v1/gold/sip/${plan.id}/installments/${numberOf(given, 'number')}/skip`;
    return {
      call: () => sessions.customer(customer.phone, 'POST', path),
      judge(changed, answer) {
        const own = changed.customers[plan.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        const usual = ['200', '409 ILLEGAL_TRANSITION'];
        const beyond = numberOf(given, 'number') > plan.installments ? ['404 NOT_FOUND'] : usual;
        allow(
          'skipping a debit',
          answer,
          cannotSignIn ? ['401 UNAUTHENTICATED'] : [...beyond, ...busy],
        );
      },
    };
  },
};
