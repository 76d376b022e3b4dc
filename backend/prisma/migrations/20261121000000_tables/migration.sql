-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "portal_user" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "permissions" TEXT[],
    "password_hash" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "last_login_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "portal_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "portal_session" (
    "id" UUID NOT NULL,
    "portal_user_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "portal_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "portal_login_guard" (
    "email" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "window_started_at" TIMESTAMPTZ(3) NOT NULL,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "portal_login_guard_pkey" PRIMARY KEY ("email")
);

-- CreateTable
CREATE TABLE "statutory_parameter" (
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "effective_from" DATE NOT NULL,
    "note" TEXT,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "statutory_parameter_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_determination" (
    "id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "determination" TEXT NOT NULL,
    "basis" TEXT NOT NULL,
    "reference" TEXT,
    "effective_from" DATE NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_determination_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "reconciliation_sign_off" (
    "id" UUID NOT NULL,
    "date" DATE NOT NULL,
    "totals" JSONB NOT NULL,
    "note" TEXT,
    "signed_by" UUID NOT NULL,
    "signed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reconciliation_sign_off_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "month_end_close" (
    "id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "totals" JSONB NOT NULL,
    "closed_by" UUID NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "month_end_close_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_user" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "last_login_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "admin_login_guard" (
    "email" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "window_started_at" TIMESTAMPTZ(3) NOT NULL,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "admin_login_guard_pkey" PRIMARY KEY ("email")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "outcome" TEXT NOT NULL DEFAULT 'DONE',
    "actor_id" UUID,
    "actor_email" TEXT,
    "actor_role" TEXT,
    "actor_api" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "request_id" TEXT,
    "ip" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_personal_detail" (
    "audit_id" UUID NOT NULL,
    "sealed" TEXT NOT NULL,
    "purge_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_personal_detail_pkey" PRIMARY KEY ("audit_id")
);

-- CreateTable
CREATE TABLE "bank_account" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "is_primary" BOOLEAN NOT NULL DEFAULT false,
    "number_sealed" TEXT NOT NULL,
    "number_hash" TEXT NOT NULL,
    "account_last4" TEXT NOT NULL,
    "ifsc" TEXT NOT NULL,
    "holder_name_sealed" TEXT NOT NULL,
    "registered_name_sealed" TEXT,
    "name_match_score" INTEGER,
    "failure_reason" TEXT,
    "provider" TEXT,
    "provider_contact_id" TEXT,
    "provider_fund_account_id" TEXT,
    "provider_validation_id" TEXT,
    "validation_attempt" INTEGER NOT NULL DEFAULT 0,
    "validation_requested_at" TIMESTAMPTZ(3),
    "verified_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bank_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "category" TEXT NOT NULL,
    "purity_karat" INTEGER NOT NULL,
    "weight_grams" DECIMAL(20,8) NOT NULL,
    "pricing_mode" TEXT NOT NULL,
    "rate_per_gram_paise" BIGINT,
    "making_charge_bps" INTEGER NOT NULL DEFAULT 0,
    "discount_bps" INTEGER NOT NULL DEFAULT 0,
    "price_paise" BIGINT NOT NULL,
    "price_computed_at" TIMESTAMPTZ(3),
    "in_stock" BOOLEAN NOT NULL DEFAULT true,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "image_key" TEXT,
    "image_content_type" TEXT,
    "image_updated_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deploy_trigger" (
    "id" UUID NOT NULL,
    "target" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "actor_id" UUID NOT NULL,
    "detail" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deploy_trigger_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gold_quote" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "unit" TEXT NOT NULL,
    "requested_amount" DECIMAL(20,8) NOT NULL,
    "grams" DECIMAL(20,8) NOT NULL,
    "price_per_gram_paise" BIGINT NOT NULL,
    "gold_value_paise" BIGINT,
    "gst_paise" BIGINT,
    "gst_rate_bps" INTEGER,
    "total_paise" BIGINT,
    "rounding_paise" BIGINT,
    "proceeds_paise" BIGINT,
    "withheld_paise" BIGINT,
    "provider" TEXT,
    "provider_tx_id" TEXT,
    "provider_rate_id" TEXT,
    "provider_amount_paise" BIGINT,
    "provider_price_paise" BIGINT,
    "lock_started_at" TIMESTAMPTZ(3),
    "lock_ends_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gold_quote_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gold_order" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "quote_id" UUID,
    "unit" TEXT NOT NULL,
    "amount_paise" BIGINT NOT NULL,
    "grams" DECIMAL(20,8),
    "price_per_gram_paise" BIGINT,
    "gold_value_paise" BIGINT,
    "gst_paise" BIGINT,
    "gst_rate_bps" INTEGER,
    "rounding_paise" BIGINT,
    "proceeds_paise" BIGINT,
    "withheld_paise" BIGINT,
    "provider" TEXT,
    "provider_tx_id" TEXT,
    "provider_rate_id" TEXT,
    "provider_amount_paise" BIGINT,
    "provider_invoice_id" TEXT,
    "price_difference_paise" BIGINT,
    "lock_started_at" TIMESTAMPTZ(3),
    "lock_ends_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "allocation_attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "allocated_at" TIMESTAMPTZ(3),
    "manual_review_code" TEXT,
    "manual_review_reason" TEXT,
    "failure_code" TEXT,
    "refund_reference" TEXT,
    "bank_account_id" UUID,
    "sip_plan_id" UUID,
    "installment_no" INTEGER,
    "due_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gold_order_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gold_order_event" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "order_id" UUID NOT NULL,
    "from_status" TEXT,
    "to_status" TEXT NOT NULL,
    "cause" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "request_id" TEXT,
    "detail" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gold_order_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_operation" (
    "id" UUID NOT NULL,
    "order_id" UUID,
    "quote_id" UUID,
    "user_id" UUID,
    "provider" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "provider_tx_id" TEXT,
    "grams" DECIMAL(20,8),
    "amount_paise" BIGINT,
    "verified_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "last_asked_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "detail" JSONB,

    CONSTRAINT "provider_operation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "holding" (
    "user_id" UUID NOT NULL,
    "balance" DECIMAL(20,8) NOT NULL DEFAULT 0,
    "reserved" DECIMAL(20,8) NOT NULL DEFAULT 0,
    "invested_paise" BIGINT NOT NULL DEFAULT 0,
    "version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "holding_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "holding_movement" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "order_id" UUID,
    "kind" TEXT NOT NULL,
    "grams" DECIMAL(20,8) NOT NULL,
    "invested_paise" BIGINT NOT NULL,
    "balance_after" DECIMAL(20,8) NOT NULL,
    "invested_after_paise" BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "holding_movement_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_user" (
    "id" UUID NOT NULL,
    "phone" TEXT,
    "phone_hash" TEXT,
    "full_name" TEXT,
    "email" TEXT,
    "referral_code" TEXT NOT NULL,
    "provider_user_id" TEXT,
    "mpin_hash" TEXT,
    "mpin_set_at" TIMESTAMPTZ(3),
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "blocked_reason" TEXT,
    "blocked_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "app_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_data_key" (
    "user_id" UUID NOT NULL,
    "key_id" TEXT NOT NULL,
    "wrapped_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "destroyed_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_data_key_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "device_id" TEXT NOT NULL,
    "device_name" TEXT,
    "family_id" UUID NOT NULL,
    "refresh_token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_reason" TEXT,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "used_refresh_token" (
    "token_hash" TEXT NOT NULL,
    "session_id" UUID NOT NULL,
    "family_id" UUID NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_refresh_token_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "biometric_token" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "device_id" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "biometric_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "otp_code" (
    "id" UUID NOT NULL,
    "phone_hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "code_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "consumed_at" TIMESTAMPTZ(3),

    CONSTRAINT "otp_code_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "otp_guard" (
    "phone_hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "previous_wrong_at" TIMESTAMPTZ(3),
    "last_wrong_at" TIMESTAMPTZ(3),
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "otp_guard_pkey" PRIMARY KEY ("phone_hash","purpose")
);

-- CreateTable
CREATE TABLE "otp_send" (
    "id" UUID NOT NULL,
    "phone_hash" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "otp_send_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mpin_guard" (
    "phone_hash" TEXT NOT NULL,
    "wrong_count" INTEGER NOT NULL DEFAULT 0,
    "window_started_at" TIMESTAMPTZ(3) NOT NULL,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "mpin_guard_pkey" PRIMARY KEY ("phone_hash")
);

-- CreateTable
CREATE TABLE "push_token" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "platform" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deleted_phone" (
    "phone_hash" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_phone_pkey" PRIMARY KEY ("phone_hash")
);

-- CreateTable
CREATE TABLE "kyc_record" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "pan_sealed" TEXT,
    "pan_last4" TEXT,
    "pan_hash" TEXT,
    "aadhaar_sealed" TEXT,
    "aadhaar_last4" TEXT,
    "aadhaar_hash" TEXT,
    "full_name_sealed" TEXT,
    "date_of_birth_sealed" TEXT,
    "pincode" TEXT,
    "document_key" TEXT,
    "selfie_key" TEXT,
    "review_reason" TEXT,
    "submitted_at" TIMESTAMPTZ(3),
    "reviewed_at" TIMESTAMPTZ(3),
    "reviewed_by" UUID,
    "provider_registered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kyc_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "kyc_document" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "kyc_document_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_version" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "effective_from" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "legal_field" (
    "section" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "reference" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "legal_field_pkey" PRIMARY KEY ("section","key")
);

-- CreateTable
CREATE TABLE "notification" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "data" JSONB NOT NULL DEFAULT '{}',
    "dedupe_key" TEXT,
    "read_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payment_order" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "quote_id" UUID,
    "gateway" TEXT NOT NULL,
    "gateway_order_id" TEXT,
    "amount_paise" BIGINT NOT NULL,
    "currency" TEXT NOT NULL DEFAULT 'INR',
    "status" TEXT NOT NULL,
    "method" TEXT,
    "terms_accepted_version" TEXT,
    "terms_accepted_at" TIMESTAMPTZ(3),
    "captured_payment_id" UUID,
    "paid_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "debit_due_at" TIMESTAMPTZ(3),
    "debit_status" TEXT,
    "debit_requested_at" TIMESTAMPTZ(3),
    "gateway_debit_id" TEXT,
    "last_asked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payment_order_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gateway_payment" (
    "id" UUID NOT NULL,
    "gateway" TEXT NOT NULL,
    "gateway_payment_id" TEXT NOT NULL,
    "gateway_order_id" TEXT,
    "payment_order_id" UUID,
    "status" TEXT NOT NULL,
    "standing" TEXT NOT NULL,
    "amount_paise" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "method" TEXT,
    "refund_reference" TEXT,
    "refunded_at" TIMESTAMPTZ(3),
    "learned_at" TIMESTAMPTZ(3) NOT NULL,
    "gateway_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_payment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_event" (
    "id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "gateway" TEXT NOT NULL,
    "event_id" TEXT,
    "body_hash" TEXT NOT NULL,
    "dedupe_key" TEXT,
    "event_type" TEXT,
    "subject" TEXT,
    "gateway_payment_id" TEXT,
    "status" TEXT NOT NULL,
    "sealed_body" TEXT,
    "sealed_for_user_id" UUID,
    "purge_after" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "applied_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "gateway_setting" (
    "code" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "mode" TEXT NOT NULL DEFAULT 'test',
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "gateway_setting_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "gateway_routing" (
    "id" INTEGER NOT NULL,
    "default_code" TEXT,
    "priority" TEXT[],
    "routes" JSONB NOT NULL DEFAULT '{}',
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "gateway_routing_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payout" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "bank_account_id" UUID NOT NULL,
    "amount_paise" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "mode" TEXT NOT NULL DEFAULT 'IMPS',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "provider" TEXT,
    "provider_payout_id" TEXT,
    "utr" TEXT,
    "failure_reason" TEXT,
    "approval_required" BOOLEAN NOT NULL DEFAULT false,
    "approved_by" UUID,
    "approved_at" TIMESTAMPTZ(3),
    "dispatched_at" TIMESTAMPTZ(3),
    "paid_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payout_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payout_attempt" (
    "id" UUID NOT NULL,
    "payout_id" UUID NOT NULL,
    "attempt_no" INTEGER NOT NULL,
    "bank_account_id" UUID NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_payout_id" TEXT,
    "status" TEXT NOT NULL,
    "utr" TEXT,
    "failure_reason" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_asked_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "payout_attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "owner_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "payload_hash" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "holder_id" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "resource_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("owner_id","operation","key")
);

-- CreateTable
CREATE TABLE "scheduled_job" (
    "id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "task" TEXT NOT NULL,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "queue" TEXT,
    "max_attempts" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduled_job_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "price_snapshot" (
    "id" UUID NOT NULL,
    "mark" TIMESTAMPTZ(3),
    "seq" BIGINT,
    "source" TEXT NOT NULL,
    "buy_paise" BIGINT NOT NULL,
    "sell_paise" BIGINT NOT NULL,
    "spot_paise" BIGINT NOT NULL,
    "provider_buy_paise" BIGINT,
    "provider_sell_paise" BIGINT,
    "buy_tax_bps" INTEGER,
    "buy_rate_id" TEXT,
    "buy_rate_valid_until" TIMESTAMPTZ(3),
    "sell_rate_id" TEXT,
    "sell_rate_valid_until" TIMESTAMPTZ(3),
    "reason" TEXT,
    "actor_id" UUID,
    "as_of" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "price_snapshot_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "price_config" (
    "id" INTEGER NOT NULL,
    "buy_spread_bps" INTEGER NOT NULL,
    "sell_spread_bps" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "price_config_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product_order" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "payload_hash" TEXT,
    "items_total_paise" BIGINT NOT NULL,
    "gst_paise" BIGINT NOT NULL,
    "gst_rate_bps" INTEGER NOT NULL,
    "delivery_fee_paise" BIGINT NOT NULL,
    "total_paise" BIGINT NOT NULL,
    "payment_method" TEXT NOT NULL DEFAULT 'COD',
    "shipping_address_sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_order_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product_order_line" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "line_no" INTEGER NOT NULL,
    "product_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "unit_price_paise" BIGINT NOT NULL,
    "gst_paise" BIGINT NOT NULL,
    "line_total_paise" BIGINT NOT NULL,

    CONSTRAINT "product_order_line_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "readiness_evidence" (
    "item" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "reference" TEXT,
    "verified" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "readiness_evidence_pkey" PRIMARY KEY ("item")
);

-- CreateTable
CREATE TABLE "referral" (
    "id" UUID NOT NULL,
    "referrer_user_id" UUID NOT NULL,
    "referee_user_id" UUID NOT NULL,
    "code" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "referral_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "referral_reward" (
    "id" UUID NOT NULL,
    "referral_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "order_id" UUID,
    "amount_paise" BIGINT NOT NULL DEFAULT 0,
    "status" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "referral_reward_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "limits_setting" (
    "id" INTEGER NOT NULL,
    "min_buy_paise" BIGINT NOT NULL,
    "max_buy_paise" BIGINT NOT NULL,
    "daily_buy_paise" BIGINT NOT NULL,
    "min_sell_paise" BIGINT NOT NULL,
    "max_sell_paise" BIGINT NOT NULL,
    "min_sip_paise" BIGINT NOT NULL,
    "max_sip_paise" BIGINT NOT NULL,
    "delivery_fee_paise" BIGINT NOT NULL,
    "free_delivery_from_paise" BIGINT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "limits_setting_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feature_flag" (
    "key" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "description" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "feature_flag_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "banner" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT,
    "image_url" TEXT,
    "link_url" TEXT,
    "active" BOOLEAN NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "starts_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" UUID,

    CONSTRAINT "banner_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sip_plan" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "amount_paise" BIGINT NOT NULL,
    "frequency" TEXT NOT NULL,
    "duration_installments" INTEGER NOT NULL,
    "start_date" DATE NOT NULL,
    "mandate_token_sealed" TEXT,
    "mandate_gateway" TEXT,
    "installments_raised" INTEGER NOT NULL DEFAULT 0,
    "next_due_at" TIMESTAMPTZ(3),
    "noticed_installment_no" INTEGER,
    "noticed_at" TIMESTAMPTZ(3),
    "cancelled_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sip_plan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "support_ticket" (
    "id" UUID NOT NULL,
    "reference" TEXT NOT NULL,
    "user_id" UUID,
    "category" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "name_sealed" TEXT,
    "email_sealed" TEXT,
    "phone_sealed" TEXT,
    "subject_sealed" TEXT,
    "message_sealed" TEXT,
    "purge_after" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "support_ticket_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "portal_user_email_key" ON "portal_user"("email");

-- CreateIndex
CREATE INDEX "portal_user_created_at_id_idx" ON "portal_user"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "portal_session_token_hash_key" ON "portal_session"("token_hash");

-- CreateIndex
CREATE INDEX "portal_session_portal_user_id_idx" ON "portal_session"("portal_user_id");

-- CreateIndex
CREATE INDEX "portal_session_expires_at_idx" ON "portal_session"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "statutory_parameter_key_effective_from_key" ON "statutory_parameter"("key", "effective_from");

-- CreateIndex
CREATE INDEX "policy_determination_created_at_id_idx" ON "policy_determination"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "reconciliation_sign_off_date_key" ON "reconciliation_sign_off"("date");

-- CreateIndex
CREATE UNIQUE INDEX "month_end_close_period_key" ON "month_end_close"("period");

-- CreateIndex
CREATE UNIQUE INDEX "admin_user_email_key" ON "admin_user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "audit_log_seq_key" ON "audit_log"("seq");

-- CreateIndex
CREATE INDEX "audit_log_action_seq_idx" ON "audit_log"("action", "seq" DESC);

-- CreateIndex
CREATE INDEX "audit_log_actor_id_seq_idx" ON "audit_log"("actor_id", "seq" DESC);

-- CreateIndex
CREATE INDEX "audit_log_target_type_target_id_seq_idx" ON "audit_log"("target_type", "target_id", "seq" DESC);

-- CreateIndex
CREATE INDEX "audit_log_at_idx" ON "audit_log"("at" DESC);

-- CreateIndex
CREATE INDEX "audit_personal_detail_purge_after_idx" ON "audit_personal_detail"("purge_after");

-- CreateIndex
CREATE INDEX "bank_account_user_id_created_at_id_idx" ON "bank_account"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "bank_account_provider_provider_validation_id_key" ON "bank_account"("provider", "provider_validation_id");

-- CreateIndex
CREATE INDEX "product_created_at_id_idx" ON "product"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "product_category_created_at_id_idx" ON "product"("category", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "deploy_trigger_at_idx" ON "deploy_trigger"("at" DESC);

-- CreateIndex
CREATE INDEX "deploy_trigger_target_at_idx" ON "deploy_trigger"("target", "at" DESC);

-- CreateIndex
CREATE INDEX "gold_quote_user_id_created_at_id_idx" ON "gold_quote"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "gold_quote_provider_provider_tx_id_key" ON "gold_quote"("provider", "provider_tx_id");

-- CreateIndex
CREATE UNIQUE INDEX "gold_order_quote_id_key" ON "gold_order"("quote_id");

-- CreateIndex
CREATE INDEX "gold_order_user_id_created_at_id_idx" ON "gold_order"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "gold_order_created_at_id_idx" ON "gold_order"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "gold_order_status_created_at_id_idx" ON "gold_order"("status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "gold_order_bank_account_id_idx" ON "gold_order"("bank_account_id");

-- CreateIndex
CREATE UNIQUE INDEX "gold_order_provider_provider_tx_id_key" ON "gold_order"("provider", "provider_tx_id");

-- CreateIndex
CREATE UNIQUE INDEX "gold_order_sip_plan_id_installment_no_key" ON "gold_order"("sip_plan_id", "installment_no");

-- CreateIndex
CREATE UNIQUE INDEX "gold_order_event_seq_key" ON "gold_order_event"("seq");

-- CreateIndex
CREATE INDEX "gold_order_event_order_id_seq_idx" ON "gold_order_event"("order_id", "seq");

-- CreateIndex
CREATE INDEX "provider_operation_order_id_started_at_idx" ON "provider_operation"("order_id", "started_at");

-- CreateIndex
CREATE INDEX "provider_operation_quote_id_idx" ON "provider_operation"("quote_id");

-- CreateIndex
CREATE INDEX "provider_operation_provider_provider_tx_id_idx" ON "provider_operation"("provider", "provider_tx_id");

-- CreateIndex
CREATE INDEX "holding_movement_at_idx" ON "holding_movement"("at");

-- CreateIndex
CREATE UNIQUE INDEX "holding_movement_order_id_kind_key" ON "holding_movement"("order_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "holding_movement_user_id_version_key" ON "holding_movement"("user_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_phone_key" ON "app_user"("phone");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_phone_hash_key" ON "app_user"("phone_hash");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_referral_code_key" ON "app_user"("referral_code");

-- CreateIndex
CREATE UNIQUE INDEX "app_user_provider_user_id_key" ON "app_user"("provider_user_id");

-- CreateIndex
CREATE INDEX "app_user_created_at_id_idx" ON "app_user"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "session_refresh_token_hash_key" ON "session"("refresh_token_hash");

-- CreateIndex
CREATE INDEX "session_user_id_created_at_idx" ON "session"("user_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "session_family_id_idx" ON "session"("family_id");

-- CreateIndex
CREATE INDEX "used_refresh_token_session_id_idx" ON "used_refresh_token"("session_id");

-- CreateIndex
CREATE INDEX "used_refresh_token_expires_at_idx" ON "used_refresh_token"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "biometric_token_token_hash_key" ON "biometric_token"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "biometric_token_user_id_device_id_key" ON "biometric_token"("user_id", "device_id");

-- CreateIndex
CREATE INDEX "otp_code_phone_hash_purpose_created_at_idx" ON "otp_code"("phone_hash", "purpose", "created_at" DESC);

-- CreateIndex
CREATE INDEX "otp_code_expires_at_idx" ON "otp_code"("expires_at");

-- CreateIndex
CREATE INDEX "otp_send_phone_hash_purpose_sent_at_idx" ON "otp_send"("phone_hash", "purpose", "sent_at" DESC);

-- CreateIndex
CREATE INDEX "otp_send_sent_at_idx" ON "otp_send"("sent_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_token_token_key" ON "push_token"("token");

-- CreateIndex
CREATE INDEX "push_token_user_id_idx" ON "push_token"("user_id");

-- CreateIndex
CREATE INDEX "deleted_phone_until_idx" ON "deleted_phone"("until");

-- CreateIndex
CREATE UNIQUE INDEX "kyc_record_user_id_key" ON "kyc_record"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "kyc_record_pan_hash_key" ON "kyc_record"("pan_hash");

-- CreateIndex
CREATE UNIQUE INDEX "kyc_record_aadhaar_hash_key" ON "kyc_record"("aadhaar_hash");

-- CreateIndex
CREATE INDEX "kyc_record_status_submitted_at_id_idx" ON "kyc_record"("status", "submitted_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "kyc_document_key_key" ON "kyc_document"("key");

-- CreateIndex
CREATE INDEX "kyc_document_user_id_created_at_id_idx" ON "kyc_document"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "policy_version_slug_effective_from_idx" ON "policy_version"("slug", "effective_from" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "policy_version_slug_version_key" ON "policy_version"("slug", "version");

-- CreateIndex
CREATE UNIQUE INDEX "notification_dedupe_key_key" ON "notification"("dedupe_key");

-- CreateIndex
CREATE INDEX "notification_user_id_created_at_id_idx" ON "notification"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "payment_order_captured_payment_id_key" ON "payment_order"("captured_payment_id");

-- CreateIndex
CREATE INDEX "payment_order_user_id_created_at_id_idx" ON "payment_order"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_order_created_at_id_idx" ON "payment_order"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_order_order_id_created_at_idx" ON "payment_order"("order_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "payment_order_quote_id_idx" ON "payment_order"("quote_id");

-- CreateIndex
CREATE UNIQUE INDEX "payment_order_gateway_gateway_order_id_key" ON "payment_order"("gateway", "gateway_order_id");

-- CreateIndex
CREATE INDEX "gateway_payment_payment_order_id_idx" ON "gateway_payment"("payment_order_id");

-- CreateIndex
CREATE INDEX "gateway_payment_gateway_gateway_order_id_idx" ON "gateway_payment"("gateway", "gateway_order_id");

-- CreateIndex
CREATE INDEX "gateway_payment_learned_at_idx" ON "gateway_payment"("learned_at");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_payment_gateway_gateway_payment_id_key" ON "gateway_payment"("gateway", "gateway_payment_id");

-- CreateIndex
CREATE INDEX "webhook_event_source_gateway_subject_idx" ON "webhook_event"("source", "gateway", "subject");

-- CreateIndex
CREATE INDEX "webhook_event_received_at_idx" ON "webhook_event"("received_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_event_source_gateway_event_id_key" ON "webhook_event"("source", "gateway", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_event_source_gateway_body_hash_key" ON "webhook_event"("source", "gateway", "body_hash");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_event_source_gateway_dedupe_key_key" ON "webhook_event"("source", "gateway", "dedupe_key");

-- CreateIndex
CREATE UNIQUE INDEX "payout_order_id_key" ON "payout"("order_id");

-- CreateIndex
CREATE INDEX "payout_user_id_created_at_id_idx" ON "payout"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payout_created_at_id_idx" ON "payout"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payout_status_created_at_id_idx" ON "payout"("status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payout_bank_account_id_idx" ON "payout"("bank_account_id");

-- CreateIndex
CREATE UNIQUE INDEX "payout_attempt_idempotency_key_key" ON "payout_attempt"("idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "payout_attempt_payout_id_attempt_no_key" ON "payout_attempt"("payout_id", "attempt_no");

-- CreateIndex
CREATE UNIQUE INDEX "payout_attempt_provider_provider_payout_id_key" ON "payout_attempt"("provider", "provider_payout_id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "scheduled_job_key_key" ON "scheduled_job"("key");

-- CreateIndex
CREATE INDEX "scheduled_job_due_at_idx" ON "scheduled_job"("due_at");

-- CreateIndex
CREATE UNIQUE INDEX "price_snapshot_mark_key" ON "price_snapshot"("mark");

-- CreateIndex
CREATE UNIQUE INDEX "price_snapshot_seq_key" ON "price_snapshot"("seq");

-- CreateIndex
CREATE INDEX "price_snapshot_as_of_idx" ON "price_snapshot"("as_of" DESC);

-- CreateIndex
CREATE INDEX "product_order_user_id_created_at_id_idx" ON "product_order"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "product_order_created_at_id_idx" ON "product_order"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "product_order_status_created_at_id_idx" ON "product_order"("status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "product_order_user_id_idempotency_key_key" ON "product_order"("user_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "product_order_line_product_id_idx" ON "product_order_line"("product_id");

-- CreateIndex
CREATE UNIQUE INDEX "product_order_line_order_id_line_no_key" ON "product_order_line"("order_id", "line_no");

-- CreateIndex
CREATE UNIQUE INDEX "referral_referee_user_id_key" ON "referral"("referee_user_id");

-- CreateIndex
CREATE INDEX "referral_referrer_user_id_applied_at_id_idx" ON "referral"("referrer_user_id", "applied_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "referral_reward_referral_id_key" ON "referral_reward"("referral_id");

-- CreateIndex
CREATE UNIQUE INDEX "referral_reward_order_id_key" ON "referral_reward"("order_id");

-- CreateIndex
CREATE INDEX "referral_reward_user_id_created_at_id_idx" ON "referral_reward"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "banner_position_id_idx" ON "banner"("position", "id");

-- CreateIndex
CREATE INDEX "sip_plan_user_id_created_at_id_idx" ON "sip_plan"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "support_ticket_reference_key" ON "support_ticket"("reference");

-- CreateIndex
CREATE INDEX "support_ticket_status_created_at_id_idx" ON "support_ticket"("status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "support_ticket_user_id_idx" ON "support_ticket"("user_id");

-- CreateIndex
CREATE INDEX "provider_operation_user_id_idx" ON "provider_operation"("user_id");

-- CreateIndex
CREATE INDEX "kyc_record_document_key_idx" ON "kyc_record"("document_key");

-- CreateIndex
CREATE INDEX "kyc_record_selfie_key_idx" ON "kyc_record"("selfie_key");

-- CreateIndex
CREATE INDEX "webhook_event_sealed_for_user_id_idx" ON "webhook_event"("sealed_for_user_id");

-- CreateIndex
CREATE INDEX "payout_attempt_bank_account_id_idx" ON "payout_attempt"("bank_account_id");

-- AddForeignKey
ALTER TABLE "portal_session" ADD CONSTRAINT "portal_session_portal_user_id_fkey" FOREIGN KEY ("portal_user_id") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "statutory_parameter" ADD CONSTRAINT "statutory_parameter_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "policy_determination" ADD CONSTRAINT "policy_determination_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "reconciliation_sign_off" ADD CONSTRAINT "reconciliation_sign_off_signed_by_fkey" FOREIGN KEY ("signed_by") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "month_end_close" ADD CONSTRAINT "month_end_close_closed_by_fkey" FOREIGN KEY ("closed_by") REFERENCES "portal_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "audit_personal_detail" ADD CONSTRAINT "audit_personal_detail_audit_id_fkey" FOREIGN KEY ("audit_id") REFERENCES "audit_log"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "bank_account" ADD CONSTRAINT "bank_account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "deploy_trigger" ADD CONSTRAINT "deploy_trigger_actor_id_fkey" FOREIGN KEY ("actor_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_quote" ADD CONSTRAINT "gold_quote_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_order" ADD CONSTRAINT "gold_order_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_order" ADD CONSTRAINT "gold_order_quote_id_fkey" FOREIGN KEY ("quote_id") REFERENCES "gold_quote"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_order" ADD CONSTRAINT "gold_order_bank_account_id_fkey" FOREIGN KEY ("bank_account_id") REFERENCES "bank_account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_order" ADD CONSTRAINT "gold_order_sip_plan_id_fkey" FOREIGN KEY ("sip_plan_id") REFERENCES "sip_plan"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gold_order_event" ADD CONSTRAINT "gold_order_event_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "provider_operation" ADD CONSTRAINT "provider_operation_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "provider_operation" ADD CONSTRAINT "provider_operation_quote_id_fkey" FOREIGN KEY ("quote_id") REFERENCES "gold_quote"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "provider_operation" ADD CONSTRAINT "provider_operation_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "holding" ADD CONSTRAINT "holding_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "holding_movement" ADD CONSTRAINT "holding_movement_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "holding"("user_id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "holding_movement" ADD CONSTRAINT "holding_movement_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "user_data_key" ADD CONSTRAINT "user_data_key_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "used_refresh_token" ADD CONSTRAINT "used_refresh_token_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "session"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "biometric_token" ADD CONSTRAINT "biometric_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "push_token" ADD CONSTRAINT "push_token_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kyc_record" ADD CONSTRAINT "kyc_record_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kyc_record" ADD CONSTRAINT "kyc_record_document_key_fkey" FOREIGN KEY ("document_key") REFERENCES "kyc_document"("key") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kyc_record" ADD CONSTRAINT "kyc_record_selfie_key_fkey" FOREIGN KEY ("selfie_key") REFERENCES "kyc_document"("key") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kyc_record" ADD CONSTRAINT "kyc_record_reviewed_by_fkey" FOREIGN KEY ("reviewed_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "kyc_document" ADD CONSTRAINT "kyc_document_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payment_order" ADD CONSTRAINT "payment_order_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payment_order" ADD CONSTRAINT "payment_order_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payment_order" ADD CONSTRAINT "payment_order_quote_id_fkey" FOREIGN KEY ("quote_id") REFERENCES "gold_quote"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payment_order" ADD CONSTRAINT "payment_order_captured_payment_id_fkey" FOREIGN KEY ("captured_payment_id") REFERENCES "gateway_payment"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gateway_payment" ADD CONSTRAINT "gateway_payment_payment_order_id_fkey" FOREIGN KEY ("payment_order_id") REFERENCES "payment_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "webhook_event" ADD CONSTRAINT "webhook_event_sealed_for_user_id_fkey" FOREIGN KEY ("sealed_for_user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gateway_setting" ADD CONSTRAINT "gateway_setting_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "gateway_routing" ADD CONSTRAINT "gateway_routing_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout" ADD CONSTRAINT "payout_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout" ADD CONSTRAINT "payout_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout" ADD CONSTRAINT "payout_bank_account_id_fkey" FOREIGN KEY ("bank_account_id") REFERENCES "bank_account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout" ADD CONSTRAINT "payout_approved_by_fkey" FOREIGN KEY ("approved_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout_attempt" ADD CONSTRAINT "payout_attempt_payout_id_fkey" FOREIGN KEY ("payout_id") REFERENCES "payout"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "payout_attempt" ADD CONSTRAINT "payout_attempt_bank_account_id_fkey" FOREIGN KEY ("bank_account_id") REFERENCES "bank_account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "price_snapshot" ADD CONSTRAINT "price_snapshot_actor_id_fkey" FOREIGN KEY ("actor_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "price_config" ADD CONSTRAINT "price_config_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "product_order" ADD CONSTRAINT "product_order_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "product_order_line" ADD CONSTRAINT "product_order_line_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "product_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "product_order_line" ADD CONSTRAINT "product_order_line_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "product"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "readiness_evidence" ADD CONSTRAINT "readiness_evidence_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "referral" ADD CONSTRAINT "referral_referrer_user_id_fkey" FOREIGN KEY ("referrer_user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "referral" ADD CONSTRAINT "referral_referee_user_id_fkey" FOREIGN KEY ("referee_user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "referral_reward" ADD CONSTRAINT "referral_reward_referral_id_fkey" FOREIGN KEY ("referral_id") REFERENCES "referral"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "referral_reward" ADD CONSTRAINT "referral_reward_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "referral_reward" ADD CONSTRAINT "referral_reward_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "gold_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "limits_setting" ADD CONSTRAINT "limits_setting_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "feature_flag" ADD CONSTRAINT "feature_flag_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "banner" ADD CONSTRAINT "banner_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "sip_plan" ADD CONSTRAINT "sip_plan_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "support_ticket" ADD CONSTRAINT "support_ticket_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
