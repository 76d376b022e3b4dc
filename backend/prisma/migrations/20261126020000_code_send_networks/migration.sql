-- The network of an IPv6 client, whose /64s are counted together too, and whom a code was for: a
-- share of each minute's codes is kept for customers. Empty in the rows of the version before.
ALTER TABLE "otp_send" ADD COLUMN     "audience" TEXT,
ADD COLUMN     "network" TEXT;

-- CreateIndex
CREATE INDEX "otp_send_network_sent_at_idx" ON "otp_send"("network", "sent_at" DESC);

-- CreateIndex
CREATE INDEX "otp_send_audience_sent_at_idx" ON "otp_send"("audience", "sent_at" DESC);

ALTER TABLE otp_send
  ADD CONSTRAINT otp_send_audience_check CHECK (audience IN ('customer', 'stranger', 'unsent'));
