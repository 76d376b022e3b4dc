-- What happened since a moment, for reports of a window of time.
-- CreateIndex
CREATE INDEX "gold_order_event_at_idx" ON "gold_order_event"("at");

-- CreateIndex
CREATE INDEX "payout_attempt_started_at_idx" ON "payout_attempt"("started_at");
