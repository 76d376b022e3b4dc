-- CreateTable
CREATE TABLE "security_event" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "ip" TEXT NOT NULL,
    "device_id" TEXT,
    "minute" TIMESTAMPTZ(3),
    "count" INTEGER NOT NULL DEFAULT 1,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "security_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "security_event_user_id_at_id_idx" ON "security_event"("user_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "security_event_at_idx" ON "security_event"("at");

-- CreateIndex
CREATE UNIQUE INDEX "security_event_user_id_kind_ip_minute_key" ON "security_event"("user_id", "kind", "ip", "minute");

-- AddForeignKey
ALTER TABLE "security_event" ADD CONSTRAINT "security_event_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE security_event
  ADD CONSTRAINT security_event_kind_check CHECK (kind IN (
    'device_signed_in', 'sign_in_refused', 'sign_in_locked', 'refresh_token_reused', 'mpin_set',
    'mpin_reset', 'bank_account_added', 'bank_account_removed', 'deletion_requested')),
  ADD CONSTRAINT security_event_count_check CHECK (count > 0);
GRANT SELECT, INSERT, UPDATE, DELETE ON security_event TO dgs_app;
