-- The moment for which the next debit was announced; and the moment up to which a plan stood still
-- for longer than one period: what fell due until then is raised and not debited.
ALTER TABLE "sip_plan" ADD COLUMN     "missed_until" TIMESTAMPTZ(3),
ADD COLUMN     "noticed_debit_at" TIMESTAMPTZ(3);

-- When the checkout of an installment was opened: on that day it counts towards the daily limit.
ALTER TABLE "payment_order" ADD COLUMN     "checkout_opened_at" TIMESTAMPTZ(3);

CREATE INDEX payment_order_checkouts_idx ON payment_order (user_id, checkout_opened_at)
  WHERE checkout_opened_at IS NOT NULL;
