import { dueAt, isBeyondAYear } from '../model/schedule.ts';
import type { Plan, World } from '../model/world.ts';
import {
  allow,
  busy,
  numberOf,
  textOf,
  type Arguments,
  type Command,
  type Story,
} from '../story.ts';
import { nothing } from './payments.ts';

const planOf = (world: World, given: Arguments): Plan | undefined =>
  world.plans[numberOf(given, 'p')];

const choosePlan = (
  world: World,
  pick: <T>(items: readonly T[]) => T | undefined,
  isFit: (plan: Plan) => boolean,
): { readonly p: number } | undefined => {
  const p = pick(world.plans.flatMap((plan, index) => (isFit(plan) ? [index] : [])));
  return p === undefined ? undefined : { p };
};

const isSignedOut = (world: World, plan: Plan): boolean => {
  const own = world.customers[plan.customer];
  return own === undefined || own.deleted || own.blocked;
};

const call = ({ sessions, world }: Story, plan: Plan, way: string, body?: unknown) => {
  const customer = world.customers[plan.customer];
  const path = `/v1/gold/sip/${plan.id}/${way}`;
  return customer === undefined
    ? Promise.resolve(nothing)
    : sessions.customer(customer.phone, 'POST', path, body);
};

const isEnded = ({ status }: Plan): boolean => status === 'CANCELLED' || status === 'COMPLETED';

/** A customer pauses a plan. */
export const pausePlan: Command = {
  name: 'pause-plan',
  choose: ({ world }, { pick, percent }) =>
    choosePlan(world, pick, ({ status }) => status === 'ACTIVE' || percent(10)),
  prepare(story, given) {
    const plan = planOf(story.world, given);
    if (plan === undefined) return undefined;
    return {
      call: () => call(story, plan, 'pause'),
      judge(changed, answer) {
        const own = planOf(changed, given);
        if (own === undefined) return;
        const hasNext = own.raised < own.installments;
        const fits = own.status === 'PAUSED' || (own.status === 'ACTIVE' && hasNext);
        const usual = fits ? '200' : '409 ILLEGAL_TRANSITION';
        allow('pausing a plan', answer, [
          isSignedOut(changed, own) ? '401 UNAUTHENTICATED' : usual,
          ...busy,
        ]);
        if (answer.status === 200) own.status = 'PAUSED';
      },
    };
  },
};

/** A customer resumes a plan, which continues at the first date that has not passed. */
export const resumePlan: Command = {
  name: 'resume-plan',
  choose: ({ world }, { pick, percent }) =>
    choosePlan(world, pick, ({ status }) => status === 'PAUSED' || percent(5)),
  prepare(story, given) {
    const plan = planOf(story.world, given);
    if (plan === undefined) return undefined;
    return {
      call: () => call(story, plan, 'resume'),
      judge(changed, answer) {
        const own = planOf(changed, given);
        if (own === undefined) return;
        const usual = isEnded(own) ? '409 ILLEGAL_TRANSITION' : '200';
        allow('resuming a plan', answer, [
          isSignedOut(changed, own) ? '401 UNAUTHENTICATED' : usual,
          ...busy,
        ]);
        if (answer.status !== 200 || own.status !== 'PAUSED') return;
        own.status = 'ACTIVE';
        while (dueAt(own, own.raised + own.passedOver) < changed.now) own.passedOver += 1;
      },
    };
  },
};

/** A customer skips the next date of a plan, or tries the date before or after it. */
export const skipNext: Command = {
  name: 'skip-next',
  choose({ world }, { pick, percent }) {
    const chosen = choosePlan(world, pick, ({ status }) => status === 'ACTIVE' || percent(10));
    return chosen === undefined
      ? undefined
      : { ...chosen, which: pick(['next', 'next', 'before', 'after']) ?? 'next' };
  },
  prepare(story, given) {
    const plan = planOf(story.world, given);
    if (plan === undefined) return undefined;
    const which = textOf(given, 'which');
    const away = which === 'before' ? -1 : which === 'after' ? 1 : 0;
    const place = Math.max(0, plan.raised + plan.passedOver + away);
    const due = dueAt(plan, place);
    return {
      call: () => call(story, plan, 'skip-next', { due_at: new Date(due).toISOString() }),
      judge(changed, answer) {
        const own = planOf(changed, given);
        if (own === undefined) return;
        const at = own.raised + own.passedOver;
        const isOpen = own.status === 'ACTIVE' && own.raised < own.installments;
        const isRepeat = own.passedOver > 0 && due === dueAt(own, at - 1);
        const isNext = due === dueAt(own, at) && !isBeyondAYear(dueAt(own, at + 1), changed.now);
        const usual = isOpen && (isRepeat || isNext) ? '200' : '409 ILLEGAL_TRANSITION';
        allow('skipping a date', answer, [
          isSignedOut(changed, own) ? '401 UNAUTHENTICATED' : usual,
          ...busy,
        ]);
        if (answer.status === 200 && !isRepeat) own.passedOver += 1;
      },
    };
  },
};
