import type { Sale, World } from '../model/world.ts';
import {
  allow,
  answerText,
  busy,
  hasFaults,
  numberOf,
  Refuted,
  textOf,
  type Command,
} from '../story.ts';
import { nothing } from './payments.ts';

const chooseSale = (
  world: World,
  int: (below: number) => number,
  isFit: (sale: Sale) => boolean,
): number | undefined => {
  const fitting = world.sales.flatMap((sale, index) => (isFit(sale) ? [index] : []));
  const newest = fitting.slice(-8);
  return newest.length === 0 ? undefined : newest[int(newest.length)];
};

/** The payout provider ends a transfer. It may reverse a paid one. */
export const endPayout: Command = {
  name: 'end-payout',
  choose({ world, seen }, { int, pick }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const payout = seen.payouts.get(payoutId ?? '');
      return payout?.status === 'PROCESSING' || (payout?.status === 'PAID' && int(8) === 0);
    });
    const outcome =
      pick(['processed', 'processed', 'processed', 'failed', 'rejected', 'reversed']) ??
      'processed';
    return s === undefined ? undefined : { s, outcome };
  },
  prepare({ system, world }, given) {
    const sale = world.sales[numberOf(given, 's')];
    if (sale?.payoutId === undefined) return undefined;
    const outcome = textOf(given, 'outcome');
    const reference = `${sale.payoutId.replaceAll('-', '')}-`;
    return {
      async call() {
        const { body: known } = await system.control('GET', '/payouts');
        const newest: { readonly status: string } | undefined = known.items.find(
          ({ referenceId }: { referenceId: string | null }) => referenceId?.startsWith(reference),
        );
        // The provider does not contradict itself here, but it may reverse a paid transfer.
        const isOpen = newest?.status === 'processing';
        if (!isOpen && !(newest?.status === 'processed' && outcome === 'reversed')) return nothing;
        const body = { outcome, deliver: 'webhook' };
        return system.tryControl('POST', `/payouts/${sale.payoutId}`, body);
      },
      judge: () => {},
    };
  },
};

const capPaise = 10_000_000;

/** An operator approves a payout. */
export const approvePayout: Command = {
  name: 'approve-payout',
  choose({ world, seen }, { int, pick }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const payout = seen.payouts.get(payoutId ?? '');
      return payout?.status === 'PENDING' || (payout !== undefined && int(10) === 0);
    });
    return s === undefined ? undefined : { s, role: pick(['ADMIN', 'SUPER_ADMIN']) ?? 'ADMIN' };
  },
  prepare({ sessions, world, seen }, given) {
    const sale = world.sales[numberOf(given, 's')];
    const payout = seen.payouts.get(sale?.payoutId ?? '');
    if (payout === undefined) return undefined;
    const role = textOf(given, 'role') === 'ADMIN' ? 'ADMIN' : 'SUPER_ADMIN';
    return {
      call: () => sessions.operator(role, 'POST', `/v1/payouts/${payout.id}/approve`, {}),
      judge(_changed, answer) {
        if (role === 'ADMIN' && payout.amount > capPaise) {
          allow('approval beyond the cap', answer, [
            '403 PAYOUT_CAP_EXCEEDED',
            '409 ILLEGAL_TRANSITION',
          ]);
          return;
        }
        const fits = payout.status === 'PENDING' ? ['200'] : [];
        allow('approval', answer, [...fits, '409 ILLEGAL_TRANSITION', ...busy]);
      },
    };
  },
};

/** An operator retries a payout, to the same account or to another. */
export const retryPayout: Command = {
  name: 'retry-payout',
  choose({ world, seen }, { int, pick, percent }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const status = seen.payouts.get(payoutId ?? '')?.status ?? '';
      return ['FAILED', 'REVERSED'].includes(status) || (status !== '' && int(12) === 0);
    });
    if (s === undefined) return undefined;
    return { s, role: pick(['ADMIN', 'SUPER_ADMIN']) ?? 'ADMIN', a: percent(60) ? -1 : int(3) };
  },
  prepare({ sessions, world, seen }, given) {
    const sale = world.sales[numberOf(given, 's')];
    const payout = seen.payouts.get(sale?.payoutId ?? '');
    if (sale === undefined || payout === undefined) return undefined;
    const role = textOf(given, 'role') === 'ADMIN' ? 'ADMIN' : 'SUPER_ADMIN';
    const account = world.customers[sale.customer]?.accounts[numberOf(given, 'a')];
    const body = {
      note: 'as the story says',
      ...(account !== undefined && { bankAccountId: account.id }),
    };
    return {
      call: () => sessions.operator(role, 'POST', `/v1/payouts/${payout.id}/retry`, body),
      judge(changed, answer) {
        const { status, amount } = payout;
        if (role === 'ADMIN' && amount > capPaise && answer.status === 200) {
          throw new Refuted('retry beyond the cap', answerText(answer));
        }
        const fits = status === 'FAILED' || status === 'REVERSED';
        allow('retry', answer, [
          ...(fits && (account === undefined || account.status === 'VERIFIED') ? ['200'] : []),
          ...(fits
            ? ['409 OUTCOME_UNDECIDED', '400 BANK_ACCOUNT_NOT_VERIFIED', '403 FORBIDDEN']
            : []),
          ...(changed.customers[sale.customer]?.deleted === true
            ? ['404 NOT_FOUND', '400 BANK_ACCOUNT_NOT_VERIFIED']
            : []),
          ...(role === 'ADMIN' ? ['403 PAYOUT_CAP_EXCEEDED'] : []),
          ...(hasFaults(changed) ? ['503 SERVICE_UNAVAILABLE'] : []),
          '409 ILLEGAL_TRANSITION',
          ...busy,
        ]);
      },
    };
  },
};
