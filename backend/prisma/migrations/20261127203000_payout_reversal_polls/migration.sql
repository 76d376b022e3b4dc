-- A bank may return a transfer after it was paid, and the event of it may be lost. Paid attempts are
-- therefore queried for a while. By the default, attempts that are there already, and those that an
-- earlier build pays, are due at once. It is one value for all of them, so no row is written here.
ALTER TABLE payout_attempt
  ADD COLUMN next_reversal_poll_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;

CREATE INDEX payout_attempt_next_reversal_poll_idx ON payout_attempt (next_reversal_poll_at)
  WHERE next_reversal_poll_at IS NOT NULL AND status = 'PAID';
