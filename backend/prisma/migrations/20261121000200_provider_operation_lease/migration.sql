-- One worker at a time confirms a transaction; a lease that lapsed may be taken over.
ALTER TABLE "provider_operation" ADD COLUMN     "holder_id" UUID,
ADD COLUMN     "lease_until" TIMESTAMPTZ(3);

ALTER TABLE provider_operation
  ADD CONSTRAINT provider_operation_lease_check
    CHECK ((holder_id IS NULL) = (lease_until IS NULL));
