-- A new password ends what was signed in with the old one. Null for a first password, so an older
-- version of the service, which does not know the column, goes on as it did.
ALTER TABLE "admin_user" ADD COLUMN     "password_changed_at" TIMESTAMPTZ(3);
