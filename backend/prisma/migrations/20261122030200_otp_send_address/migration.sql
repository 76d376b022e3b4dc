-- The address that asked for the send; null in rows of a version that does not know the column.
ALTER TABLE "otp_send" ADD COLUMN     "address" TEXT;

-- CreateIndex
CREATE INDEX "otp_send_address_sent_at_idx" ON "otp_send"("address", "sent_at" DESC);
