-- CreateTable
CREATE TABLE "product_order_event" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "order_id" UUID NOT NULL,
    "from_status" TEXT,
    "to_status" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "request_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_order_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "product_order_event_seq_key" ON "product_order_event"("seq");

-- CreateIndex
CREATE INDEX "product_order_event_order_id_seq_idx" ON "product_order_event"("order_id", "seq");

-- AddForeignKey
ALTER TABLE "product_order_event" ADD CONSTRAINT "product_order_event_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "product_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- The history of an order, and its lines with the names and prices of its day, are only added to.
CREATE TRIGGER product_order_event_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER product_order_line_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT, INSERT ON product_order_event TO dgs_app;
GRANT USAGE ON SEQUENCE product_order_event_seq_seq TO dgs_app;
REVOKE UPDATE ON product_order_line FROM dgs_app;

ALTER TABLE product_order
  -- A key and the hash of its payload come and go together.
  DROP CONSTRAINT product_order_key_check,
  ADD CONSTRAINT product_order_key_check
    CHECK ((idempotency_key IS NULL) = (payload_hash IS NULL)),
  -- GST is half-up on each of at most 20 lines, so the sum is within 10 paise of the whole's.
  ADD CONSTRAINT product_order_gst_check
    CHECK (abs(gst_paise * 10000 - items_total_paise * gst_rate_bps) <= 20 * 5000);

-- For the purge of old keys.
CREATE INDEX product_order_keyed_idx ON product_order (created_at)
  WHERE idempotency_key IS NOT NULL;
