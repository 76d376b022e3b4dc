-- A month that was reopened is closed again by its next revision. The version before this one makes
-- revision 1 alone, so that a month is still closed once there.
ALTER TABLE "month_end_close" ADD COLUMN "revision" INTEGER NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX "month_end_close_period_revision_key" ON "month_end_close"("period", "revision");
DROP INDEX "month_end_close_period_key";
ALTER TABLE month_end_close ADD CONSTRAINT month_end_close_revision_check CHECK (revision >= 1);

CREATE TABLE "month_end_reopening" (
    "close_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "reopened_by" UUID NOT NULL,
    "reopened_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "month_end_reopening_pkey" PRIMARY KEY ("close_id")
);

ALTER TABLE "month_end_reopening" ADD CONSTRAINT "month_end_reopening_close_id_fkey"
  FOREIGN KEY ("close_id") REFERENCES "month_end_close"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "month_end_reopening" ADD CONSTRAINT "month_end_reopening_reopened_by_fkey"
  FOREIGN KEY ("reopened_by") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE month_end_reopening
  ADD CONSTRAINT month_end_reopening_reason_check CHECK (reason <> '');

CREATE TRIGGER month_end_reopening_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON month_end_reopening
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A month is closed again only after its close before was reopened.
CREATE FUNCTION check_month_end_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.revision > 1 AND NOT EXISTS (
    SELECT FROM month_end_close c JOIN month_end_reopening r ON r.close_id = c.id
    WHERE c.period = NEW.period AND c.revision = NEW.revision - 1) THEN
    RAISE EXCEPTION 'month % is closed', NEW.period USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER month_end_close_revision BEFORE INSERT ON month_end_close
  FOR EACH ROW EXECUTE FUNCTION check_month_end_revision();

GRANT SELECT, INSERT ON month_end_reopening TO dgs_app;
