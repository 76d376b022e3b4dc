-- The provider reported two outcomes of one attempt that can't both be true: a further attempt is
-- for a SUPER_ADMIN.
ALTER TABLE "payout_attempt" ADD COLUMN     "contradicted_at" TIMESTAMPTZ(3);
