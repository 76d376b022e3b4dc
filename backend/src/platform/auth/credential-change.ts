import { addMs } from '../clock/clock.ts';

/**
 * Returns the moment to record for a change of a credential that ends every sign-in before it:
 * `now`, but always after the last sign-in, which another process's clock may have put later. Read
 * `lastSignInAt` under a lock of its row.
 */
export const momentOfChange = (now: Date, lastSignInAt: Date | null | undefined): Date => {
  if (lastSignInAt === null || lastSignInAt === undefined || lastSignInAt < now) return now;
  return addMs(lastSignInAt, 1);
};

/**
 * Returns true for a token issued at `iat`, in whole seconds, that a later change has ended. A
 * sign-in after the change must be issued at the next whole second or later: in the change's own
 * second `iat` can't tell before from after.
 */
export const isEndedBy = (changedAt: Date | null | undefined, iat: number): boolean =>
  changedAt !== null && changedAt !== undefined && iat * 1000 <= changedAt.getTime();
