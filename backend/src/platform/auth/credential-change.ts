import { addMs } from '../clock/clock.ts';

/**
 * Returns the moment to record for a change of a credential that ends every earlier sign-in. It is
 * `now`, or just after the last sign-in if another process's clock put that sign-in later. Read
 * `lastSignInAt` under a lock of its row.
 */
export const momentOfChange = (now: Date, lastSignInAt: Date | null | undefined): Date => {
  if (lastSignInAt === null || lastSignInAt === undefined || lastSignInAt < now) return now;
  return addMs(lastSignInAt, 1);
};

/**
 * Returns true for a token issued at `iat`, in whole seconds, that a later change has ended. A
 * sign-in after the change must be issued at the next whole second or later, because `iat` can't
 * tell before from after within the change's own second.
 */
export const isEndedBy = (changedAt: Date | null | undefined, iat: number): boolean =>
  changedAt !== null && changedAt !== undefined && iat * 1000 <= changedAt.getTime();
