-- CreateIndex
CREATE INDEX "audit_log_outcome_seq_idx" ON "audit_log"("outcome", "seq" DESC);

-- CreateIndex
CREATE INDEX "audit_log_request_id_seq_idx" ON "audit_log"("request_id", "seq" DESC);

-- CreateIndex
CREATE INDEX "audit_log_ip_seq_idx" ON "audit_log"("ip", "seq" DESC);
