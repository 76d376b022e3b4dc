-- A bank may return a transfer after it was paid, and the event of it may be lost. Paid attempts are
-- therefore queried for a while.
ALTER TABLE payout_attempt ADD COLUMN next_reversal_poll_at TIMESTAMPTZ(3);

CREATE INDEX payout_attempt_next_reversal_poll_idx ON payout_attempt (next_reversal_poll_at)
  WHERE next_reversal_poll_at IS NOT NULL;

-- Attempts that were paid before are queried too, as long as new ones are.
UPDATE payout_attempt SET next_reversal_poll_at = settled_at
  WHERE status = 'PAID' AND settled_at > now() - interval '60 days';
