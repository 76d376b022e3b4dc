-- A customer may ask for an account to be the primary one before it is verified.
ALTER TABLE "bank_account" ADD COLUMN     "primary_wanted" BOOLEAN NOT NULL DEFAULT false;
