-- One request at a time asks the gateway for the order of a payment order; a lease that lapsed may
-- be acquired by another, which then looks for the order by its receipt first.
ALTER TABLE "payment_order" ADD COLUMN     "holder_id" UUID,
ADD COLUMN     "lease_until" TIMESTAMPTZ(3);

ALTER TABLE payment_order
  ADD CONSTRAINT payment_order_lease_check
    CHECK ((holder_id IS NULL) = (lease_until IS NULL));
