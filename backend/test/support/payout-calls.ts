import type { Caller } from './caller.ts';
import type { OpenPayouts } from './open-payouts.ts';

export const payoutRow = (open: OpenPayouts, id: string) =>
  open.system.db.payout.findUniqueOrThrow({ where: { id } });

export const attemptsOf = (open: OpenPayouts, payoutId: string) =>
  open.system.db.payoutAttempt.findMany({ where: { payoutId }, orderBy: { attemptNo: 'asc' } });

/** Decides a payout at the provider, which sends no event of it. */
export const playPayout = (open: OpenPayouts, payoutId: string, outcome: string) =>
  open.system.sandbox.control('POST', `/payouts/${payoutId}`, { outcome, deliver: 'none' });

export const retryPayout = (call: Caller, id: string, body?: object) =>
  call('POST', `/payouts/${id}/retry`, body);
