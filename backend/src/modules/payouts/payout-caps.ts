import { paise, type Paise } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { AdminPrincipal } from '../admins/index.ts';

/** INR 100,000: up to it a payout goes out by itself, and an ADMIN may let it go (interface). */
export const payoutCapPaise: Paise = paise(10_000_000n);

/** Whether an operator has to let the payout go. */
export const needsApproval = (amountPaise: Paise): boolean => amountPaise > payoutCapPaise;

/** @throws AppError PAYOUT_CAP_EXCEEDED for what is above the caller's cap */
export const requireWithinCap = (
  { role }: Pick<AdminPrincipal, 'role'>,
  amountPaise: Paise,
): void => {
  if (role === 'SUPER_ADMIN' || amountPaise <= payoutCapPaise) return;
  throw new AppError('PAYOUT_CAP_EXCEEDED');
};
