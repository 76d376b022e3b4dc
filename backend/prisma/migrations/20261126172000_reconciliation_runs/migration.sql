-- Runs of reconciliation, with what they found. `kind` leaves room for runs of other checks.
CREATE TABLE "reconciliation_run" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "window_hours" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    "requested_by" UUID,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "checks_done" INTEGER NOT NULL DEFAULT 0,
    "generated_at" TIMESTAMPTZ(3),
    "checks" JSONB,

    CONSTRAINT "reconciliation_run_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "reconciliation_run_requested_at_id_idx" ON "reconciliation_run"("requested_at" DESC, "id" DESC);
CREATE INDEX "reconciliation_run_kind_window_hours_generated_at_idx" ON "reconciliation_run"("kind", "window_hours", "generated_at" DESC);
CREATE UNIQUE INDEX "reconciliation_run_kind_window_hours_due_at_key" ON "reconciliation_run"("kind", "window_hours", "due_at");

ALTER TABLE "reconciliation_run" ADD CONSTRAINT "reconciliation_run_requested_by_fkey"
  FOREIGN KEY ("requested_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE reconciliation_run
  ADD CONSTRAINT reconciliation_run_kind_check CHECK (kind IN ('REPORT', 'DATABASE_RULES')),
  ADD CONSTRAINT reconciliation_run_trigger_check CHECK (
    (trigger = 'SCHEDULE' AND due_at IS NOT NULL AND requested_by IS NULL)
    OR (trigger = 'OPERATOR' AND due_at IS NULL AND requested_by IS NOT NULL)),
  ADD CONSTRAINT reconciliation_run_status_check CHECK (
    status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
  ADD CONSTRAINT reconciliation_run_result_check CHECK (
    (status = 'DONE') = (checks IS NOT NULL)
    AND (checks IS NULL) = (generated_at IS NULL)
    AND (status IN ('DONE', 'FAILED')) = (finished_at IS NOT NULL)),
  ADD CONSTRAINT reconciliation_run_window_check CHECK (window_hours BETWEEN 1 AND 720);

-- At most one run of a window is under way.
CREATE UNIQUE INDEX reconciliation_run_open_key ON reconciliation_run (kind, window_hours)
  WHERE status IN ('QUEUED', 'RUNNING');

-- What a collaborator agreed with, and how our row read then: it is asked about once.
CREATE TABLE "reconciliation_agreement" (
    "collaborator" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "print" TEXT NOT NULL,
    "agreed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reconciliation_agreement_pkey" PRIMARY KEY ("collaborator","kind","subject")
);

CREATE INDEX "reconciliation_agreement_agreed_at_idx" ON "reconciliation_agreement"("agreed_at");

GRANT SELECT, INSERT, UPDATE, DELETE ON reconciliation_run TO dgs_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON reconciliation_agreement TO dgs_app;
