-- One worker at a time sends a payout attempt, and starts a validation; a lease that lapsed may be
-- acquired by another.
ALTER TABLE "payout_attempt" ADD COLUMN     "holder_id" UUID,
ADD COLUMN     "lease_until" TIMESTAMPTZ(3);

ALTER TABLE payout_attempt
  ADD CONSTRAINT payout_attempt_lease_check
    CHECK ((holder_id IS NULL) = (lease_until IS NULL));

ALTER TABLE "bank_account" ADD COLUMN     "validation_holder_id" UUID,
ADD COLUMN     "validation_lease_until" TIMESTAMPTZ(3);

ALTER TABLE bank_account
  ADD CONSTRAINT bank_account_validation_lease_check
    CHECK ((validation_holder_id IS NULL) = (validation_lease_until IS NULL));
