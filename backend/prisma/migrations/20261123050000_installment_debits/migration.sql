-- The mandate that a payment order is debited under, sealed with the customer's key. The running
-- version writes no debits, so the checks hold for what it writes.
-- AlterTable
ALTER TABLE "payment_order" ADD COLUMN     "mandate_token_sealed" TEXT;

ALTER TABLE payment_order
  ADD CONSTRAINT payment_order_debit_whole_check CHECK (
    (debit_due_at IS NULL) = (debit_status IS NULL)
    AND (debit_due_at IS NULL OR mandate_token_sealed IS NOT NULL));
