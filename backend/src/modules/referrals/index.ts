export { createEarnReward, listRewards } from './referrals.store.ts';
export { presentReward, rewardView } from './referrals.schemas.ts';
export { createReferralRoutes } from './referrals.customer.routes.ts';
