-- Wrong codes and MPINs are counted by caller, beside the tables of the version before, which goes
-- on counting by phone alone in `otp_guard` and `mpin_guard`.
-- CreateTable
CREATE TABLE "trusted_device" (
    "user_id" UUID NOT NULL,
    "device_id" TEXT NOT NULL,
    "trusted_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "refusals" INTEGER NOT NULL DEFAULT 0,
    "refused_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],

    CONSTRAINT "trusted_device_pkey" PRIMARY KEY ("user_id","device_id")
);

-- CreateTable
CREATE TABLE "sign_in_guard" (
    "phone_hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_guard_pkey" PRIMARY KEY ("phone_hash","purpose","caller")
);

-- CreateTable
CREATE TABLE "address_refusal" (
    "address" TEXT NOT NULL,
    "refused_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],

    CONSTRAINT "address_refusal_pkey" PRIMARY KEY ("address")
);

-- AddForeignKey
ALTER TABLE "trusted_device" ADD CONSTRAINT "trusted_device_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE trusted_device
  ADD CONSTRAINT trusted_device_device_id_check CHECK (char_length(device_id) BETWEEN 16 AND 128),
  ADD CONSTRAINT trusted_device_refusals_check CHECK (refusals >= 0);

ALTER TABLE security_event
  DROP CONSTRAINT security_event_kind_check,
  ADD CONSTRAINT security_event_kind_check CHECK (kind IN (
    'device_signed_in', 'sign_in_refused', 'sign_in_locked', 'refresh_token_reused', 'mpin_set',
    'mpin_reset', 'bank_account_added', 'bank_account_removed', 'deletion_requested',
    'device_distrusted', 'biometric_token_issued'));

GRANT SELECT, INSERT, UPDATE, DELETE ON trusted_device, sign_in_guard, address_refusal TO dgs_app;
