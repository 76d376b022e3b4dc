export { createEarnReward } from './earn-reward.ts';
export { presentReward, rewardView } from './referrals.schemas.ts';
export { listRewards } from './referrals.store.ts';
export { createReferralRoutes } from './referrals.customer.routes.ts';
