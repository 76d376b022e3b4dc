-- Second factors of operators and portal users. Versions before this one ask for none.

-- CreateTable
CREATE TABLE "second_factor" (
    "id" UUID NOT NULL,
    "admin_id" UUID,
    "portal_user_id" UUID,
    "secret_sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "last_period" INTEGER,

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_code" (
    "id" UUID NOT NULL,
    "factor_id" UUID NOT NULL,
    "code_hash" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "second_factor_admin_id_key" ON "second_factor"("admin_id");

-- CreateIndex
CREATE UNIQUE INDEX "second_factor_portal_user_id_key" ON "second_factor"("portal_user_id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_code_factor_id_code_hash_key" ON "recovery_code"("factor_id", "code_hash");

-- AddForeignKey
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_portal_user_id_fkey" FOREIGN KEY ("portal_user_id") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_factor_id_fkey" FOREIGN KEY ("factor_id") REFERENCES "second_factor"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- A factor belongs to one person.
ALTER TABLE second_factor ADD CONSTRAINT second_factor_owner_check
  CHECK (num_nonnulls(admin_id, portal_user_id) = 1);
-- A confirmed one has accepted a code.
ALTER TABLE second_factor ADD CONSTRAINT second_factor_confirmed_check
  CHECK (confirmed_at IS NULL OR last_period IS NOT NULL);

GRANT SELECT, INSERT, UPDATE, DELETE ON second_factor, recovery_code TO dgs_app;
