-- Personal fields of an audit row, and the free text of its operator, under one seal: with the
-- customer's own key, or with the service key where there is no customer.
ALTER TABLE "audit_log" ADD COLUMN     "sealed" TEXT,
ADD COLUMN     "sealed_for_user_id" UUID;

-- CreateIndex
CREATE INDEX "audit_log_sealed_for_user_id_idx" ON "audit_log"("sealed_for_user_id");

-- AddForeignKey
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_sealed_for_user_id_fkey" FOREIGN KEY ("sealed_for_user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE audit_log
  ADD CONSTRAINT audit_log_sealed_for_check CHECK (sealed_for_user_id IS NULL OR sealed IS NOT NULL);
