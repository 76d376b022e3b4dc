-- A reason is an operator's free text: the audit row has it, sealed. No version has used the column.
ALTER TABLE price_snapshot
  DROP CONSTRAINT price_snapshot_manual_check,
  DROP COLUMN reason,
  ADD CONSTRAINT price_snapshot_manual_check
    CHECK (source <> 'MANUAL' OR (actor_id IS NOT NULL AND mark IS NULL));
