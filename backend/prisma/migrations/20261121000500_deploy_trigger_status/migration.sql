-- On its way to the CI system, accepted by it, turned away by it, or nobody can say.
ALTER TABLE deploy_trigger
  ADD CONSTRAINT deploy_trigger_status_check
    CHECK (status IN ('DISPATCHING', 'DISPATCHED', 'REFUSED', 'UNKNOWN'));
