import type { Random } from '../../platform/ids/random.ts';

/** Letters and digits that nobody mistakes for one another: no 0 and O, no 1, I and L. */
export const referralAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export const referralCodeLength = 8;

/** A customer's referral code, evenly drawn (decisions, section 4, Referrals). */
export const makeReferralCode = (random: Pick<Random, 'int'>): string =>
  Array.from({ length: referralCodeLength }, () =>
    referralAlphabet.charAt(random.int(referralAlphabet.length)),
  ).join('');
