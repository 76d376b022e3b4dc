import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, ok, pageQuery, type Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { customerAccess, findUser } from '../identity/index.ts';
import { createApplyCode } from './apply-code.ts';
import {
  applyBody,
  appliedAnswer,
  codeAnswer,
  presentReward,
  rewardPage,
} from './referrals.schemas.ts';
import { listRewards } from './referrals.store.ts';

/** Declares `/referrals` of the customer API. */
export const createReferralCustomerRoutes = (deps: {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
}): Route[] => {
  const { db } = deps;
  const applyCode = createApplyCode(deps);
  const shared = { tags: ['referrals'], access: customerAccess };
  return [
    defineRoute({
      method: 'GET',
      path: '/referrals/me',
      summary: "The customer's own referral code",
      responses: { 200: codeAnswer },
      ...shared,
      handler: async ({ principal }) => {
        const user = await findUser(db, principal.userId);
        if (user === undefined) throw new AppError('UNAUTHENTICATED');
        return ok({ code: user.referralCode });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/referrals/apply',
      summary: "Apply another customer's referral code, once and before the first purchase",
      body: applyBody,
      responses: { 200: appliedAnswer },
      errors: ['NOT_FOUND', 'CONFLICT'],
      ...shared,
      handler: async ({ body, principal }) => {
        await applyCode(principal.userId, body.code);
        return ok({ applied: true });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/referrals/rewards',
      summary: "Rewards for customers who applied the caller's code, newest first",
      query: pageQuery,
      responses: { 200: rewardPage },
      ...shared,
      handler: async ({ query, principal }) => {
        const { rows, total } = await listRewards(db, principal.userId, query);
        return ok({ items: rows.map(presentReward), total, ...query });
      },
    }),
  ];
};
