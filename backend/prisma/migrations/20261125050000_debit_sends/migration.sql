-- When a debit was last sent that its gateway has not answered: for so long it may still arrive
-- there. Of the debits without an answer nobody noted it; it was not after the last look at them.
ALTER TABLE "payment_order" ADD COLUMN     "debit_sent_at" TIMESTAMPTZ(3);

UPDATE payment_order SET debit_sent_at = greatest(debit_requested_at, last_asked_at)
WHERE debit_status IN ('INTENDED', 'UNKNOWN');
