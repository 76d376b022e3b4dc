-- Payouts may also wait for an operator because of their number on one day.
ALTER TABLE payout
  DROP CONSTRAINT payout_hold_check,
  ADD CONSTRAINT payout_hold_check CHECK (
    hold IS NULL OR (
      hold IN ('NEW_ACCOUNT', 'NAME_MATCH', 'DAILY_SUM', 'DAILY_COUNT') AND approval_required));
