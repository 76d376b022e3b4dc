-- The id of the blind index's key beside each hash, so that the worker's sweep finds those of other
-- keys. Null in rows of before, and in those of replicas that still run: the sweep fills them.
-- AlterTable
ALTER TABLE "app_user" ADD COLUMN     "phone_hash_key" TEXT;

-- AlterTable
ALTER TABLE "bank_account" ADD COLUMN     "number_hash_key" TEXT;

-- AlterTable
ALTER TABLE "kyc_record" ADD COLUMN     "hash_key" TEXT;
