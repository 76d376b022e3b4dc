-- AlterTable
ALTER TABLE "app_user" ADD COLUMN     "blocked_reason_sealed" TEXT;

-- The reason is an operator's free text: sealed from now on.
ALTER TABLE app_user
  DROP CONSTRAINT app_user_blocked_check,
  ADD CONSTRAINT app_user_blocked_check CHECK (
    NOT blocked OR blocked_reason IS NOT NULL OR blocked_reason_sealed IS NOT NULL);

-- Finds customers by a part of their name or email. ICU, so that letters fold alike whatever the
-- database's own locale is.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX app_user_search_idx ON app_user USING gin (
  lower(normalize(full_name, NFKC) COLLATE "und-x-icu") gin_trgm_ops,
  lower(normalize(email, NFKC) COLLATE "und-x-icu") gin_trgm_ops);
