-- The token that replaced a used one, so that an answer that was lost can be asked for once more;
-- empty in the rows of the version before. And the current MPINs that a session gave wrong.
ALTER TABLE "used_refresh_token" ADD COLUMN     "successor_hash" TEXT;
ALTER TABLE "session" ADD COLUMN     "wrong_mpins" INTEGER NOT NULL DEFAULT 0;
