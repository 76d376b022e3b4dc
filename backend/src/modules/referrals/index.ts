export { createFormerBuyerPurge, keepFormerBuyer } from './former-buyers.ts';
export { createRecordFirstBuy } from './record-first-buy.ts';
export { listRewards } from './referrals.store.ts';
export { createSettleRewards } from './settle-rewards.ts';
export { presentReward, rewardView } from './referrals.schemas.ts';
export { createReferralRoutes } from './referrals.customer.routes.ts';
export { createRewardAdminRoutes } from './rewards.admin.routes.ts';
