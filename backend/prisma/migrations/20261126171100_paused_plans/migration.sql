-- A plan may be paused and resumed, and pass over dates of its schedule. A mandate may have a
-- largest amount and a last day of its own. The defaults are for versions that do not know them.
ALTER TABLE "sip_plan" ADD COLUMN     "mandate_ends_on" DATE,
ADD COLUMN     "mandate_max_paise" BIGINT,
ADD COLUMN     "passed_over" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3);

ALTER TABLE sip_plan
  DROP CONSTRAINT sip_plan_status_check,
  ADD CONSTRAINT sip_plan_status_check
    CHECK (status IN ('ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED')),
  ADD CONSTRAINT sip_plan_paused_check
    CHECK (status <> 'PAUSED' OR (paused_at IS NOT NULL AND next_due_at IS NOT NULL)),
  ADD CONSTRAINT sip_plan_passed_over_check CHECK (passed_over BETWEEN 0 AND 100000),
  ADD CONSTRAINT sip_plan_mandate_bounds_check CHECK (
    (mandate_max_paise IS NULL AND mandate_ends_on IS NULL)
    OR (mandate_token_sealed IS NOT NULL
      AND (mandate_max_paise IS NULL OR amount_paise <= mandate_max_paise)));

-- A version that does not know of dates that are passed over would take one of them for the next
-- installment, and ask for money on a day that its customer has skipped.
CREATE FUNCTION refuse_passed_date() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'plan % would fall due on a date that it has passed over', NEW.id
    USING ERRCODE = 'check_violation', CONSTRAINT = 'sip_plan_next_due_check';
END $$;
CREATE TRIGGER sip_plan_next_due BEFORE UPDATE OF next_due_at ON sip_plan
  FOR EACH ROW WHEN (NEW.installments_raised > OLD.installments_raised
    AND NEW.next_due_at <= OLD.next_due_at)
  EXECUTE FUNCTION refuse_passed_date();
