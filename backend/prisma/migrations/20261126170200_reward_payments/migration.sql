-- A reward is approved and then recorded as paid. Versions before this one know neither state.
ALTER TABLE "referral_reward" ADD COLUMN     "approved_at" TIMESTAMPTZ(3),
ADD COLUMN     "approved_by" UUID,
ADD COLUMN     "paid_at" TIMESTAMPTZ(3),
ADD COLUMN     "paid_by" UUID,
ADD COLUMN     "payment_reference" TEXT;

ALTER TABLE "referral_reward" ADD CONSTRAINT "referral_reward_approved_by_fkey" FOREIGN KEY ("approved_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "referral_reward" ADD CONSTRAINT "referral_reward_paid_by_fkey" FOREIGN KEY ("paid_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE referral_reward
  DROP CONSTRAINT referral_reward_status_check,
  ADD CONSTRAINT referral_reward_status_check
    CHECK (status IN ('PENDING', 'EARNED', 'APPROVED', 'PAID', 'REVERSED')),
  DROP CONSTRAINT referral_reward_earned_check,
  ADD CONSTRAINT referral_reward_earned_check CHECK (
    (earned_at IS NULL) = (amount_paise IS NULL)
    AND CASE status
      WHEN 'PENDING' THEN earned_at IS NULL
      WHEN 'REVERSED' THEN order_id IS NOT NULL
      ELSE earned_at IS NOT NULL AND order_id IS NOT NULL END),
  ADD CONSTRAINT referral_reward_approved_check CHECK (
    (approved_at IS NULL) = (approved_by IS NULL)
    AND (status NOT IN ('APPROVED', 'PAID') OR approved_at IS NOT NULL)),
  ADD CONSTRAINT referral_reward_paid_check CHECK (
    (status = 'PAID') = (paid_at IS NOT NULL)
    AND (paid_at IS NULL) = (paid_by IS NULL)
    AND (paid_at IS NULL) = (payment_reference IS NULL));

CREATE INDEX "referral_reward_status_created_at_id_idx" ON "referral_reward"("status", "created_at" DESC, "id" DESC);
CREATE INDEX "sip_plan_created_at_id_idx" ON "sip_plan"("created_at" DESC, "id" DESC);
CREATE INDEX "sip_plan_status_created_at_id_idx" ON "sip_plan"("status", "created_at" DESC, "id" DESC);
