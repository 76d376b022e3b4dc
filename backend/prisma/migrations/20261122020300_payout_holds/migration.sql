-- Why a payout waits for an operator, besides the cap.
ALTER TABLE "payout" ADD COLUMN     "hold" TEXT;

ALTER TABLE payout
  ADD CONSTRAINT payout_hold_check CHECK (
    hold IS NULL OR (hold IN ('NEW_ACCOUNT', 'NAME_MATCH', 'DAILY_SUM') AND approval_required));
