-- A deployment that the CI system certainly never started, and the time of the last look for it.
ALTER TABLE deploy_trigger
  DROP CONSTRAINT deploy_trigger_status_check,
  ADD CONSTRAINT deploy_trigger_status_check
    CHECK (status IN ('DISPATCHING', 'DISPATCHED', 'REFUSED', 'UNKNOWN', 'NOT_STARTED')),
  ADD COLUMN asked_at TIMESTAMPTZ(3);
CREATE INDEX deploy_trigger_undecided_idx ON deploy_trigger (asked_at NULLS FIRST, at)
  WHERE status IN ('DISPATCHING', 'UNKNOWN');
