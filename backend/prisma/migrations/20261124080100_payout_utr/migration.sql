-- Accounting staff search payouts by the bank's reference.
CREATE INDEX payout_utr_idx ON payout (utr) WHERE utr IS NOT NULL;
