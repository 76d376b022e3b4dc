-- A reward has no amount before it is earned. Nothing has written these tables before.
ALTER TABLE "referral_reward" ADD COLUMN     "earned_at" TIMESTAMPTZ(3),
ALTER COLUMN "amount_paise" DROP NOT NULL,
ALTER COLUMN "amount_paise" DROP DEFAULT;

ALTER TABLE referral_reward
  DROP CONSTRAINT referral_reward_status_check,
  ADD CONSTRAINT referral_reward_status_check CHECK (status IN ('PENDING', 'EARNED')),
  ADD CONSTRAINT referral_reward_earned_check CHECK (
    (status = 'EARNED') = (earned_at IS NOT NULL)
    AND (status = 'EARNED') = (amount_paise IS NOT NULL)
    AND (status = 'EARNED') = (order_id IS NOT NULL));
