-- The gateways are asked for reversals by the time at which a payment is next due, so that those of
-- which nobody asks any more are not passed over again and again.
ALTER TABLE "gateway_payment" ADD COLUMN     "next_reversal_poll_at" TIMESTAMPTZ(3);

-- As payments/gateway-payments.store.ts has it: an hour after the capture, hourly in its
-- first three days, daily until half a year has passed.
UPDATE gateway_payment SET next_reversal_poll_at = CASE
  WHEN reversals_asked_at IS NULL THEN learned_at + interval '1 hour'
  WHEN reversals_asked_at < learned_at + interval '72 hours'
    THEN reversals_asked_at + interval '1 hour'
  ELSE reversals_asked_at + interval '24 hours' END
WHERE status IN ('CAPTURED', 'REFUNDED') AND payment_order_id IS NOT NULL
  AND learned_at > now() - interval '4320 hours';

-- A version that does not know the column adds payments that are due at once.
ALTER TABLE "gateway_payment" ALTER COLUMN "next_reversal_poll_at" SET DEFAULT CURRENT_TIMESTAMP;

CREATE INDEX gateway_payment_next_reversal_poll_idx ON gateway_payment (next_reversal_poll_at)
  WHERE next_reversal_poll_at IS NOT NULL
    AND status IN ('CAPTURED', 'REFUNDED') AND payment_order_id IS NOT NULL;

DROP INDEX gateway_payment_reversals_poll_idx;
