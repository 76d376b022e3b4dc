-- A reward is settled seven days after the first buy of the customer who was referred. Versions before
-- this one earn it at once, without `bought_at`.
ALTER TABLE "referral_reward" ADD COLUMN     "bought_at" TIMESTAMPTZ(3),
ADD COLUMN     "reversed_at" TIMESTAMPTZ(3);

ALTER TABLE referral_reward
  DROP CONSTRAINT referral_reward_status_check,
  ADD CONSTRAINT referral_reward_status_check
    CHECK (status IN ('PENDING', 'EARNED', 'REVERSED')),
  DROP CONSTRAINT referral_reward_earned_check,
  ADD CONSTRAINT referral_reward_earned_check CHECK (
    (earned_at IS NULL) = (amount_paise IS NULL)
    AND CASE status
      WHEN 'PENDING' THEN earned_at IS NULL
      WHEN 'EARNED' THEN earned_at IS NOT NULL AND order_id IS NOT NULL
      ELSE order_id IS NOT NULL END),
  ADD CONSTRAINT referral_reward_bought_check
    CHECK (bought_at IS NULL OR order_id IS NOT NULL),
  ADD CONSTRAINT referral_reward_reversed_check
    CHECK ((status = 'REVERSED') = (reversed_at IS NOT NULL));

CREATE INDEX referral_reward_unsettled_idx ON referral_reward (bought_at)
  WHERE status = 'PENDING' AND bought_at IS NOT NULL;
-- The few orders whose gold was bought and then taken back.
CREATE INDEX gold_order_taken_back_idx ON gold_order (id)
  WHERE status = 'FAILED' AND allocated_at IS NOT NULL;

-- Keyed hashes of the PANs of customers who bought and have left, for as long as their number's.
CREATE TABLE "former_buyer" (
    "pan_hash" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "former_buyer_pkey" PRIMARY KEY ("pan_hash")
);

CREATE INDEX "former_buyer_until_idx" ON "former_buyer"("until");

GRANT SELECT, INSERT, UPDATE, DELETE ON former_buyer TO dgs_app;
