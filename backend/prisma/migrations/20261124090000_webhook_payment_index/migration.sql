-- A refund's event may name its payment alone: an order's timeline finds it by that.
CREATE INDEX "webhook_event_gateway_gateway_payment_id_idx" ON "webhook_event"("gateway", "gateway_payment_id");
