-- Each try by its time, so that five within any 15 minutes lock. The older columns stay, for the
-- version that counts by them.
ALTER TABLE "admin_login_guard" ADD COLUMN     "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
ALTER TABLE "portal_login_guard" ADD COLUMN     "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
