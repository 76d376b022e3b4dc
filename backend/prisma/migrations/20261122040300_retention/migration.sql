-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- Quotes that nobody used are purged; one that an order, a payment order or a call to the provider
-- rests on is kept by its foreign key.
CREATE INDEX gold_quote_purge_idx ON gold_quote (expires_at) WHERE status = 'EXPIRED';
GRANT DELETE ON gold_quote TO dgs_app;
