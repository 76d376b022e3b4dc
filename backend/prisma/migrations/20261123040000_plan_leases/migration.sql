-- AlterTable
ALTER TABLE "sip_plan" ADD COLUMN     "holder_id" UUID,
ADD COLUMN     "lease_until" TIMESTAMPTZ(3);

ALTER TABLE sip_plan
  ADD CONSTRAINT sip_plan_mandate_check
    CHECK ((mandate_token_sealed IS NULL) = (mandate_gateway IS NULL));

-- Plans whose next debit was not announced yet: without this, every pass would read all plans whose
-- next installment is less than a day away.
CREATE INDEX sip_plan_unannounced_idx ON sip_plan (next_due_at)
  WHERE status = 'ACTIVE' AND mandate_token_sealed IS NOT NULL
    AND noticed_installment_no IS DISTINCT FROM installments_raised + 1;
-- Plans that only wait for their last installments to end.
CREATE INDEX sip_plan_fully_raised_idx ON sip_plan (updated_at)
  WHERE status = 'ACTIVE' AND installments_raised = duration_installments;
