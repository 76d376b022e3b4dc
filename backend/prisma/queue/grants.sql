-- Played by the migrate app after every run, once the job queue has its schema: repeatable.
-- The migrate role owns the queue; its tables have row security, so the application role needs
-- a policy on each beside the rights themselves.

GRANT USAGE ON SCHEMA graphile_worker TO dgs_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA graphile_worker TO dgs_app;
REVOKE INSERT, UPDATE, DELETE ON graphile_worker.migrations FROM dgs_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA graphile_worker TO dgs_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA graphile_worker TO dgs_app;

DO $$
DECLARE
  queue_table name;
BEGIN
  FOR queue_table IN
    SELECT c.relname FROM pg_class c
    WHERE c.relnamespace = 'graphile_worker'::regnamespace AND c.relrowsecurity
      AND NOT EXISTS (
        SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'dgs_app_all')
  LOOP
    EXECUTE format(
      'CREATE POLICY dgs_app_all ON graphile_worker.%I TO dgs_app USING (true) WITH CHECK (true)',
      queue_table);
  END LOOP;
END
$$;

-- Readiness asks which migrations are applied.
GRANT SELECT ON _prisma_migrations TO dgs_app;

-- Jobs that used up their attempts. Without the payload, which is nobody's business here. One that
-- had a key (the flag) and lost it was replaced by a newer job of that key: nothing is lost.
CREATE OR REPLACE VIEW dead_letter_job AS
  SELECT id, task_identifier AS task, queue_name, key, attempts, max_attempts, last_error, run_at,
         created_at, updated_at
  FROM graphile_worker.jobs
  WHERE attempts >= max_attempts AND locked_at IS NULL
    AND NOT (key IS NULL AND coalesce(jsonb_exists(flags, 'keyed'), false));
GRANT SELECT ON dead_letter_job TO dgs_app;
