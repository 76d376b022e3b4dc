-- Stored events by their state, newest first: those that wait are few among very many.
CREATE INDEX "webhook_event_status_received_at_id_idx" ON "webhook_event"("status", "received_at" DESC, "id" DESC);

-- Captured money that pays for nothing yet.
CREATE INDEX gateway_payment_open_idx ON gateway_payment (learned_at, id)
  WHERE status = 'CAPTURED' AND standing IN ('SECOND', 'MISMATCH', 'LATE', 'UNMATCHED');
