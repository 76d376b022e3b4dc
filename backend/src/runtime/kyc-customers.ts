import { findUser, setProviderUserId } from '../modules/identity/index.ts';
import type { KycCustomers } from '../modules/kyc/index.ts';
import type { Clock } from '../platform/clock/clock.ts';

/** The customers as KYC wants to know them. */
export const kycCustomers = (clock: Clock): KycCustomers => ({
  async find(db, userId) {
    const user = await findUser(db, userId);
    if (user === undefined || user.phone === null || user.deletedAt !== null) return undefined;
    return {
      phone: user.phone,
      fullName: user.fullName ?? undefined,
      email: user.email ?? undefined,
      providerUserId: user.providerUserId ?? undefined,
    };
  },
  setProviderUserId: (db, userId, providerUserId) =>
    setProviderUserId(db, userId, providerUserId, clock.now()),
});
