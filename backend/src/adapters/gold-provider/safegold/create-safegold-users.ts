import { z } from 'zod';
import { mapDone } from '../../../platform/outcome/outcome.ts';
import type { GoldProvider, ProviderUser } from '../port.ts';
import type { SafegoldCalls } from './create-safegold-calls.ts';
import { mobileNumber, paths } from './safegold.facts.ts';
import { userAnswer } from './safegold.schemas.ts';

const inPath = encodeURIComponent;

const toUser = (answer: z.output<typeof userAnswer>): ProviderUser => ({
  providerUserId: answer.id,
  goldBalanceGrams: answer.gold_balance,
});

type Users = Pick<GoldProvider, 'register' | 'updateKyc' | 'getUser'>;

/** Creates the calls that register, update and read SafeGold's users. */
export const createSafegoldUsers = ({ call }: SafegoldCalls): Users => ({
  async register({ phone, name, pincode, email }) {
    const answered = await call({
      operation: 'register',
      path: paths.users,
      body: { name, mobile_no: mobileNumber(phone), pin_code: pincode, email },
      answer: userAnswer,
      // registration-api: idempotent on `mobile_no`.
      isIdempotent: true,
    });
    return mapDone(answered, toUser);
  },

  async updateKyc({ providerUserId, pan, identityNumber }) {
    const answered = await call({
      operation: 'register',
      path: paths.kycUpdate(inPath(providerUserId)),
      body: { kyc_requirement: { pan_no: pan, identity_no: identityNumber } },
      answer: z.looseObject({}),
      isIdempotent: true,
    });
    return mapDone(answered, () => undefined);
  },

  async getUser(providerUserId) {
    const path = paths.user(inPath(providerUserId));
    return mapDone(await call({ operation: 'get-user', path, answer: userAnswer }), toUser);
  },
});
