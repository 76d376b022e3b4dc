export { createEarnReward, type EarnReward } from './earn-reward.ts';
export { createReferralRoutes } from './referrals.customer.routes.ts';
