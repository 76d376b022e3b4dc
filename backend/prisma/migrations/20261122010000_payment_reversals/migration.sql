-- Money that goes away again: refunds and lost disputes of captured payments, the grams that their
-- reviews reserve, and orders whose grams were recovered.

-- AlterTable
ALTER TABLE "gateway_payment" ADD COLUMN     "reversals_asked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "gold_order" ADD COLUMN     "recovered_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "holding_reservation" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "wanted" DECIMAL(20,8) NOT NULL,
    "grams" DECIMAL(20,8) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "holding_reservation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_reversal" (
    "id" UUID NOT NULL,
    "gateway" TEXT NOT NULL,
    "gateway_payment_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "reference" TEXT,
    "amount_paise" BIGINT NOT NULL,
    "learned_at" TIMESTAMPTZ(3) NOT NULL,
    "gateway_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "payment_reversal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "holding_reservation_user_id_idx" ON "holding_reservation"("user_id");

-- CreateIndex
CREATE INDEX "holding_reservation_order_id_idx" ON "holding_reservation"("order_id");

-- CreateIndex
CREATE UNIQUE INDEX "payment_reversal_gateway_gateway_payment_id_kind_reference_key" ON "payment_reversal"("gateway", "gateway_payment_id", "kind", "reference");

-- AddForeignKey
ALTER TABLE "holding_reservation" ADD CONSTRAINT "holding_reservation_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "holding"("user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "holding_reservation" ADD CONSTRAINT "holding_reservation_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE holding_reservation
  ADD CONSTRAINT holding_reservation_grams_check
    CHECK (wanted > 0 AND grams >= 0 AND grams <= wanted);
-- One review of an order reserves once.
CREATE UNIQUE INDEX holding_reservation_open_key ON holding_reservation (order_id)
  WHERE ended_at IS NULL;

ALTER TABLE payment_reversal
  ADD CONSTRAINT payment_reversal_kind_check CHECK (kind IN ('REFUND', 'DISPUTE')),
  ADD CONSTRAINT payment_reversal_amount_check CHECK (amount_paise > 0);
CREATE INDEX payment_reversal_open_idx ON payment_reversal (learned_at)
  WHERE resolved_at IS NULL;

-- The payments whose reversals are polled, the longest unasked first.
CREATE INDEX gateway_payment_reversals_poll_idx
  ON gateway_payment (reversals_asked_at NULLS FIRST, learned_at)
  WHERE status IN ('CAPTURED', 'REFUNDED');

ALTER TABLE gold_order
  DROP CONSTRAINT gold_order_review_code_check,
  ADD CONSTRAINT gold_order_review_code_check CHECK (manual_review_code IN (
    'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'LATE_CAPTURE', 'PROVIDER_LOCK_EXPIRED',
    'ALLOCATION_EXHAUSTED', 'GRAMS_MISMATCH', 'FAILED_AFTER_PAID', 'SECOND_CAPTURE',
    'SELL_UNKNOWN_OUTCOME', 'SELL_REFUSED_AFTER_VERIFY', 'PAYMENT_REVERSED')),
  ADD CONSTRAINT gold_order_recovered_check CHECK (recovered_at IS NULL OR allocated_at IS NOT NULL);

ALTER TABLE holding_movement
  DROP CONSTRAINT holding_movement_kind_check,
  ADD CONSTRAINT holding_movement_kind_check CHECK (
    (kind = 'CREDIT' AND grams > 0 AND invested_paise >= 0)
    OR (kind IN ('DEBIT', 'FORFEITED', 'RECOVERED') AND grams < 0 AND invested_paise <= 0));

GRANT SELECT, INSERT, UPDATE ON holding_reservation, payment_reversal TO dgs_app;
