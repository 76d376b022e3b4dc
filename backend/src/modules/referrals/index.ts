export { keepFormerBuyer } from './former-buyers.ts';
export { createFormerBuyerPurge } from './referrals.sweeps.ts';
export { createRecordFirstBuy } from './record-first-buy.ts';
export { listRewards } from './referrals.store.ts';
export { createSettleRewards } from './referrals.sweeps.ts';
export { presentReward, rewardView } from './referrals.schemas.ts';
export { createReferralCustomerRoutes } from './referrals.customer.routes.ts';
export { createRewardAdminRoutes } from './rewards.admin.routes.ts';
