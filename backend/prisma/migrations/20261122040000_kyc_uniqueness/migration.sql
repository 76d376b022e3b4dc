-- A PAN or an Aadhaar belongs to one account whose record waits for review or is approved. A record
-- that was rejected, or has to be submitted again, keeps its hashes and holds nothing.
CREATE UNIQUE INDEX kyc_record_live_pan_key ON kyc_record (pan_hash)
  WHERE status IN ('SUBMITTED', 'APPROVED');
CREATE UNIQUE INDEX kyc_record_live_aadhaar_key ON kyc_record (aadhaar_hash)
  WHERE status IN ('SUBMITTED', 'APPROVED');

-- DropIndex
DROP INDEX "kyc_record_aadhaar_hash_key";

-- DropIndex
DROP INDEX "kyc_record_pan_hash_key";

-- The pincode and the reviewer's reason are sealed too. Rows written before, and by replicas that
-- still run, keep them in the clear columns until the worker's sweep has sealed them.
ALTER TABLE "kyc_record" ADD COLUMN     "pincode_sealed" TEXT,
ADD COLUMN     "review_reason_sealed" TEXT;

ALTER TABLE kyc_record
  DROP CONSTRAINT kyc_record_rejected_check,
  ADD CONSTRAINT kyc_record_rejected_check CHECK (
    status <> 'REJECTED' OR review_reason IS NOT NULL OR review_reason_sealed IS NOT NULL);

CREATE INDEX kyc_record_unsealed_idx ON kyc_record (id)
  WHERE pincode IS NOT NULL OR review_reason IS NOT NULL;
