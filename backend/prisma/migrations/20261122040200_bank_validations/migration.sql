-- CreateTable
CREATE TABLE "bank_validation" (
    "bank_account_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bank_validation_pkey" PRIMARY KEY ("bank_account_id","attempt")
);

-- CreateIndex
CREATE INDEX "bank_validation_user_id_requested_at_idx" ON "bank_validation"("user_id", "requested_at" DESC);

-- CreateIndex
CREATE INDEX "bank_validation_requested_at_idx" ON "bank_validation"("requested_at");

-- AddForeignKey
ALTER TABLE "bank_validation" ADD CONSTRAINT "bank_validation_bank_account_id_fkey" FOREIGN KEY ("bank_account_id") REFERENCES "bank_account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "bank_validation" ADD CONSTRAINT "bank_validation_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- The first validation of an account is asked for when it is added; of the others nobody knows the
-- day any more.
INSERT INTO bank_validation (bank_account_id, attempt, user_id, requested_at)
SELECT id, 1, user_id, created_at FROM bank_account WHERE created_at > now() - interval '2 days';

GRANT SELECT, INSERT, DELETE ON bank_validation TO dgs_app;
