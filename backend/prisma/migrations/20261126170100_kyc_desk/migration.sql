-- An operator's claim on a record that waits for review; it lapses by itself.
ALTER TABLE "kyc_record" ADD COLUMN     "claimed_by" UUID,
ADD COLUMN     "claimed_until" TIMESTAMPTZ(3),
-- When KYC was last taken back: the bound on documents counts from then.
ADD COLUMN     "reverified_at" TIMESTAMPTZ(3);

ALTER TABLE "kyc_record" ADD CONSTRAINT "kyc_record_claimed_by_fkey" FOREIGN KEY ("claimed_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE kyc_record
  ADD CONSTRAINT kyc_record_claim_check CHECK ((claimed_by IS NULL) = (claimed_until IS NULL));
