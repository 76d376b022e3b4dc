-- CreateTable
CREATE TABLE "gateway_attempt" (
    "id" UUID NOT NULL,
    "payment_order_id" UUID NOT NULL,
    "gateway" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "gateway_order_id" TEXT,
    "detail" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "last_asked_at" TIMESTAMPTZ(3),

    CONSTRAINT "gateway_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "gateway_attempt_payment_order_id_started_at_idx" ON "gateway_attempt"("payment_order_id", "started_at");

-- CreateIndex
CREATE INDEX "gateway_attempt_gateway_gateway_order_id_idx" ON "gateway_attempt"("gateway", "gateway_order_id");

-- AddForeignKey
ALTER TABLE "gateway_attempt" ADD CONSTRAINT "gateway_attempt_payment_order_id_fkey" FOREIGN KEY ("payment_order_id") REFERENCES "payment_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE gateway_attempt
  ADD CONSTRAINT gateway_attempt_status_check
    CHECK (status IN ('INTENDED', 'DONE', 'REFUSED', 'UNKNOWN')),
  ADD CONSTRAINT gateway_attempt_ended_check
    CHECK ((status IN ('DONE', 'REFUSED')) = (ended_at IS NOT NULL));
CREATE INDEX gateway_attempt_undecided_idx ON gateway_attempt (started_at)
  WHERE status IN ('INTENDED', 'UNKNOWN');
GRANT SELECT, INSERT, UPDATE ON gateway_attempt TO dgs_app;
