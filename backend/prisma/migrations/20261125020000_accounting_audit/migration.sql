-- The accounting API's part of the log: its own rows, and the changes of its users by operators' commands.
DROP INDEX audit_log_accounting_idx;
CREATE INDEX audit_log_accounting_idx ON audit_log (seq DESC)
  WHERE actor_api = 'accounting' OR target_type = 'portal_user';
