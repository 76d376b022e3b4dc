-- What the provider settled on a day, and the portal's own part of the audit log, newest first.
CREATE INDEX provider_operation_settled_idx ON provider_operation (settled_at)
  WHERE status = 'DONE' AND operation IN ('buy-confirm', 'sell-confirm');
CREATE INDEX audit_log_accounting_idx ON audit_log (seq DESC) WHERE actor_api = 'accounting';
