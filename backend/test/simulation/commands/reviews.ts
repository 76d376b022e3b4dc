import type { Buy, Payment } from '../model/world.ts';
import { allow, busy, hasFaults, numberOf, Refuted, textOf, type Command } from '../story.ts';

const resolutions = ['ALLOCATE', 'REFUNDED', 'KEEP', 'RECOVER', 'CONFIRM_SELL', 'RELEASE_SELL'];

const isRight = (buy: Buy, { outcome, amountPaise, currency }: Payment): boolean =>
  outcome === 'captured' && amountPaise === buy.amountPaise && currency === 'INR';

const isGone = ({ amountPaise, reversedPaise }: Payment): boolean => reversedPaise >= amountPaise;

/** Returns the reason why an accepted resolution cannot be right, or undefined if it may be. */
const objectionTo = (
  buy: Buy,
  resolution: string,
  order: {
    readonly hasGold: boolean;
    readonly code: string | null;
    readonly endsAs: unknown;
    /** True if a collaborator may list payments in rows that can't be read. */
    readonly hasFaults: boolean;
  },
): string | undefined => {
  // If a row of the gateway's list can't be read, the service believes the operator, who may be
  // wrong in a story.
  if (order.hasFaults && resolution === 'REFUNDED') return undefined;
  const captured = buy.payments.filter(({ outcome }) => outcome === 'captured');
  const isHeld = captured.some((payment) => !isGone(payment));
  // The service also looks for payments that were not reported to it.
  if (order.endsAs === 'FAILED' && isHeld) return 'money is held';
  switch (resolution) {
    case 'ALLOCATE':
      return captured.some((payment) => isRight(buy, payment) && !isGone(payment))
        ? undefined
        : 'no right payment is held';
    case 'REFUNDED':
      return captured.some((payment) => payment.reversedPaise > 0)
        ? undefined
        : 'nothing went back';
    case 'KEEP':
      return order.hasGold ? undefined : 'there is no gold to keep';
    case 'RECOVER':
      return order.hasGold ? undefined : 'there is no gold';
    default:
      return 'it is for sales';
  }
};

/** A super admin ends a review. Money that has to go back must have gone back before. */
export const resolve: Command = {
  name: 'resolve',
  choose({ world, seen }, { pick, int, percent }) {
    const open = world.buys.flatMap((buy, index) =>
      seen.orders.get(buy.id)?.status === 'MANUAL_REVIEW' ? [index] : [],
    );
    const b = percent(95) ? open[int(open.length)] : int(Math.max(1, world.buys.length));
    if (b === undefined) return undefined;
    return { b, resolution: pick(resolutions.slice(0, 4)) ?? 'KEEP' };
  },
  prepare({ sessions, world, seen }, given) {
    const known = world.buys[numberOf(given, 'b')];
    const order = seen.orders.get(known?.id ?? '');
    if (known === undefined || order === undefined) return undefined;
    const resolution = textOf(given, 'resolution');
    const body = { resolution, reference: 'rfnd_story', note: 'as the story says' };
    return {
      call: () => sessions.operator('SUPER_ADMIN', 'POST', `/v1/orders/${known.id}/resolve`, body),
      judge(changed, answer) {
        const own = changed.buys[numberOf(given, 'b')];
        if (own === undefined) return;
        allow(`resolution ${resolution}`, answer, [
          ...(order.status === 'MANUAL_REVIEW' ? ['200'] : []),
          '409 ILLEGAL_TRANSITION',
          '409 OUTCOME_UNDECIDED',
          '409 CONFLICT',
          ...(hasFaults(changed)
            ? [
                '503 SERVICE_UNAVAILABLE',
                '502 PROVIDER_UNAVAILABLE',
                '502 GATEWAY_UNAVAILABLE',
                '503 GATEWAY_UNAVAILABLE',
                '502 PRICE_UNAVAILABLE',
                '502 PROVIDER_REFUSED',
                '502 PROVIDER_MISMATCH',
              ]
            : []),
          ...busy,
        ]);
        if (answer.status !== 200) return;
        const objection = objectionTo(own, resolution, {
          ...order,
          endsAs: answer.body.status,
          hasFaults: hasFaults(changed),
        });
        if (objection !== undefined) {
          throw new Refuted(`resolution ${resolution}`, `accepted though ${objection}`);
        }
        own.resolutions.push(resolution);
      },
    };
  },
};

/** A super admin ends the review of a sale. */
export const resolveSale: Command = {
  name: 'resolve-sale',
  choose({ seen }, { pick }) {
    const open = [...seen.orders.values()].filter(
      ({ type, code }) => type === 'SELL' && code !== null,
    );
    const order = pick(open);
    if (order === undefined) return undefined;
    const sales = [...seen.orders.values()].filter(({ type }) => type === 'SELL');
    return { n: sales.indexOf(order), resolution: pick(resolutions.slice(4)) ?? 'RELEASE_SELL' };
  },
  prepare({ sessions, seen }, given) {
    const sales = [...seen.orders.values()].filter(({ type }) => type === 'SELL');
    const order = sales[numberOf(given, 'n')];
    if (order === undefined) return undefined;
    const resolution = textOf(given, 'resolution');
    const body = { resolution, reference: 'story', note: 'as the story says' };
    return {
      call: () => sessions.operator('SUPER_ADMIN', 'POST', `/v1/orders/${order.id}/resolve`, body),
      judge(changed, answer) {
        allow(`resolution ${resolution}`, answer, [
          ...(order.code !== null ? ['200'] : []),
          '409 ILLEGAL_TRANSITION',
          '409 OUTCOME_UNDECIDED',
          ...(hasFaults(changed) ? ['503 SERVICE_UNAVAILABLE', '502 PROVIDER_UNAVAILABLE'] : []),
          ...busy,
        ]);
      },
    };
  },
};
