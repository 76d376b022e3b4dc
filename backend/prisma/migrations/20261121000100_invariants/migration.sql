-- What Prisma's schema can't say: value checks, partial unique keys, indexes of the sweeps,
-- append-only tables, the application role's rights, and the rows that always exist.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dgs_app') THEN
    RAISE EXCEPTION 'the role dgs_app does not exist'
      USING HINT = 'An administrator creates it once: CREATE ROLE dgs_app LOGIN PASSWORD ...';
  END IF;
END
$$;

-- ---------------------------------------------------------------- identity

ALTER TABLE app_user
  ADD CONSTRAINT app_user_phone_check CHECK (phone ~ '^\+91[6-9][0-9]{9}$'),
  ADD CONSTRAINT app_user_blocked_check CHECK (NOT blocked OR blocked_reason IS NOT NULL),
  ADD CONSTRAINT app_user_deleted_check CHECK (
    (deleted_at IS NULL AND phone IS NOT NULL AND phone_hash IS NOT NULL)
    OR (deleted_at IS NOT NULL AND phone IS NULL AND phone_hash IS NULL AND full_name IS NULL
        AND email IS NULL AND mpin_hash IS NULL));
CREATE INDEX app_user_lower_email_idx ON app_user (lower(email));
CREATE INDEX app_user_blocked_idx ON app_user (created_at DESC, id DESC) WHERE blocked;

ALTER TABLE user_data_key
  ADD CONSTRAINT user_data_key_destroyed_check
    CHECK ((destroyed_at IS NULL) = (octet_length(wrapped_key) > 0));

CREATE UNIQUE INDEX session_live_device_key ON session (user_id, device_id)
  WHERE revoked_at IS NULL;

ALTER TABLE otp_code
  ADD CONSTRAINT otp_code_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion'));
ALTER TABLE otp_guard
  ADD CONSTRAINT otp_guard_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion')),
  ADD CONSTRAINT otp_guard_wrong_check CHECK (
    previous_wrong_at IS NULL OR last_wrong_at IS NOT NULL);
ALTER TABLE otp_send
  ADD CONSTRAINT otp_send_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion'));
ALTER TABLE mpin_guard
  ADD CONSTRAINT mpin_guard_wrong_count_check CHECK (wrong_count >= 0);
ALTER TABLE push_token
  ADD CONSTRAINT push_token_platform_check CHECK (platform IN ('ios', 'android', 'web'));

-- ---------------------------------------------------------------- KYC and bank accounts

ALTER TABLE kyc_record
  ADD CONSTRAINT kyc_record_status_check
    CHECK (status IN ('PENDING', 'SUBMITTED', 'APPROVED', 'REJECTED')),
  ADD CONSTRAINT kyc_record_submitted_check CHECK (status = 'PENDING' OR submitted_at IS NOT NULL),
  ADD CONSTRAINT kyc_record_rejected_check
    CHECK (status <> 'REJECTED' OR review_reason IS NOT NULL),
  ADD CONSTRAINT kyc_record_last4_check
    CHECK (length(pan_last4) = 4 AND length(aadhaar_last4) = 4);
ALTER TABLE kyc_document
  ADD CONSTRAINT kyc_document_kind_check
    CHECK (kind IN ('PAN', 'AADHAAR_FRONT', 'AADHAAR_BACK', 'SELFIE')),
  ADD CONSTRAINT kyc_document_size_check CHECK (size_bytes BETWEEN 1 AND 3145728);

ALTER TABLE bank_account
  ADD CONSTRAINT bank_account_status_check CHECK (status IN ('PENDING', 'VERIFIED', 'FAILED')),
  ADD CONSTRAINT bank_account_last4_check CHECK (length(account_last4) = 4),
  ADD CONSTRAINT bank_account_score_check CHECK (name_match_score BETWEEN 0 AND 100),
  ADD CONSTRAINT bank_account_attempt_check CHECK (validation_attempt >= 0);
CREATE UNIQUE INDEX bank_account_primary_key ON bank_account (user_id)
  WHERE is_primary AND deleted_at IS NULL;
CREATE UNIQUE INDEX bank_account_number_key ON bank_account (user_id, number_hash, ifsc)
  WHERE deleted_at IS NULL;
CREATE INDEX bank_account_open_validation_idx ON bank_account (validation_requested_at)
  WHERE status = 'PENDING' AND deleted_at IS NULL;

-- ---------------------------------------------------------------- price

ALTER TABLE price_snapshot
  ADD CONSTRAINT price_snapshot_source_check CHECK (source IN ('PROVIDER', 'MANUAL')),
  ADD CONSTRAINT price_snapshot_price_check
    CHECK (buy_paise > 0 AND sell_paise > 0 AND spot_paise > 0
           AND provider_buy_paise > 0 AND provider_sell_paise > 0),
  ADD CONSTRAINT price_snapshot_tick_check CHECK ((mark IS NULL) = (seq IS NULL)),
  ADD CONSTRAINT price_snapshot_seq_check CHECK (seq > 0),
  ADD CONSTRAINT price_snapshot_manual_check
    CHECK (source <> 'MANUAL' OR (reason IS NOT NULL AND actor_id IS NOT NULL AND mark IS NULL));
ALTER TABLE price_config
  ADD CONSTRAINT price_config_single_check CHECK (id = 1),
  ADD CONSTRAINT price_config_spread_check
    CHECK (buy_spread_bps BETWEEN 0 AND 9999 AND sell_spread_bps BETWEEN 0 AND 9999);

-- ---------------------------------------------------------------- gold

ALTER TABLE gold_quote
  ADD CONSTRAINT gold_quote_kind_check CHECK (kind IN ('BUY', 'SELL')),
  ADD CONSTRAINT gold_quote_status_check CHECK (status IN ('ACTIVE', 'CONSUMED', 'EXPIRED')),
  ADD CONSTRAINT gold_quote_unit_check CHECK (unit IN ('INR', 'GRAMS')),
  ADD CONSTRAINT gold_quote_amounts_check
    CHECK (requested_amount > 0 AND grams > 0 AND price_per_gram_paise > 0),
  ADD CONSTRAINT gold_quote_buy_check CHECK (
    kind <> 'BUY'
    OR (gold_value_paise > 0 AND gst_paise >= 0 AND gst_rate_bps >= 0 AND total_paise > 0
        AND rounding_paise IS NOT NULL AND gold_value_paise + gst_paise = total_paise
        AND proceeds_paise IS NULL AND provider IS NOT NULL AND provider_tx_id IS NOT NULL
        AND lock_started_at IS NOT NULL AND lock_ends_at IS NOT NULL)
       IS TRUE),
  ADD CONSTRAINT gold_quote_sell_check CHECK (
    kind <> 'SELL'
    OR (proceeds_paise > 0 AND withheld_paise >= 0 AND total_paise IS NULL AND provider IS NOT NULL
        AND provider_rate_id IS NOT NULL AND provider_price_paise > 0) IS TRUE),
  ADD CONSTRAINT gold_quote_consumed_check
    CHECK ((status = 'CONSUMED') = (consumed_at IS NOT NULL));
CREATE INDEX gold_quote_active_expiry_idx ON gold_quote (expires_at) WHERE status = 'ACTIVE';
CREATE INDEX gold_quote_active_sell_idx ON gold_quote (user_id, created_at DESC, id DESC)
  WHERE status = 'ACTIVE' AND kind = 'SELL';

ALTER TABLE gold_order
  ADD CONSTRAINT gold_order_status_check CHECK (
    (type IN ('BUY', 'SIP_INSTALLMENT')
      AND status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW', 'FAILED'))
    OR (type = 'SELL'
      AND status IN ('PENDING', 'VERIFIED', 'CONFIRMED', 'COMPLETED', 'FAILED'))),
  ADD CONSTRAINT gold_order_unit_check CHECK (unit IN ('INR', 'GRAMS')),
  ADD CONSTRAINT gold_order_amounts_check
    CHECK (amount_paise > 0 AND grams > 0 AND price_per_gram_paise > 0 AND gold_value_paise > 0
           AND gst_paise >= 0 AND gst_rate_bps >= 0 AND proceeds_paise > 0 AND withheld_paise >= 0
           AND provider_amount_paise >= 0 AND allocation_attempts >= 0),
  ADD CONSTRAINT gold_order_total_check CHECK (gold_value_paise + gst_paise = amount_paise),
  ADD CONSTRAINT gold_order_quoted_check CHECK (
    type = 'SIP_INSTALLMENT'
    OR (quote_id IS NOT NULL AND grams IS NOT NULL AND price_per_gram_paise IS NOT NULL)),
  ADD CONSTRAINT gold_order_sell_check CHECK (
    type <> 'SELL'
    OR (proceeds_paise IS NOT NULL AND withheld_paise IS NOT NULL AND bank_account_id IS NOT NULL
        AND gold_value_paise IS NULL AND gst_paise IS NULL AND rounding_paise IS NULL)),
  ADD CONSTRAINT gold_order_installment_check CHECK (
    (type = 'SIP_INSTALLMENT')
      = (sip_plan_id IS NOT NULL AND installment_no IS NOT NULL AND due_at IS NOT NULL)),
  ADD CONSTRAINT gold_order_installment_no_check CHECK (installment_no BETWEEN 1 AND 240),
  ADD CONSTRAINT gold_order_allocated_check CHECK (
    status <> 'ALLOCATED'
    OR (allocated_at IS NOT NULL AND grams IS NOT NULL AND gold_value_paise IS NOT NULL
        AND gst_paise IS NOT NULL AND provider_tx_id IS NOT NULL)),
  ADD CONSTRAINT gold_order_review_check
    CHECK (status <> 'MANUAL_REVIEW' OR manual_review_code IS NOT NULL),
  ADD CONSTRAINT gold_order_review_reason_check
    CHECK (manual_review_code IS NULL OR manual_review_reason IS NOT NULL),
  ADD CONSTRAINT gold_order_review_code_check CHECK (manual_review_code IN (
    'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'LATE_CAPTURE', 'PROVIDER_LOCK_EXPIRED',
    'ALLOCATION_EXHAUSTED', 'GRAMS_MISMATCH', 'FAILED_AFTER_PAID', 'SECOND_CAPTURE',
    'SELL_UNKNOWN_OUTCOME', 'SELL_REFUSED_AFTER_VERIFY'));
CREATE INDEX gold_order_due_allocation_idx ON gold_order (next_attempt_at)
  WHERE status IN ('PAID', 'RETRY_PENDING');
CREATE INDEX gold_order_unpaid_expiry_idx ON gold_order (expires_at)
  WHERE status = 'PENDING' AND type <> 'SELL';
CREATE INDEX gold_order_open_sell_idx ON gold_order (updated_at)
  WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED');
CREATE INDEX gold_order_open_review_idx ON gold_order (updated_at)
  WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED');

ALTER TABLE provider_operation
  ADD CONSTRAINT provider_operation_operation_check CHECK (
    operation IN ('buy-verify', 'buy-confirm', 'sell-verify', 'sell-confirm', 'register')),
  ADD CONSTRAINT provider_operation_status_check
    CHECK (status IN ('INTENDED', 'DONE', 'REFUSED', 'UNKNOWN')),
  ADD CONSTRAINT provider_operation_settled_check
    CHECK (status NOT IN ('DONE', 'REFUSED') OR settled_at IS NOT NULL),
  ADD CONSTRAINT provider_operation_confirm_check CHECK (
    operation NOT IN ('buy-confirm', 'sell-confirm')
    OR (order_id IS NOT NULL AND provider_tx_id IS NOT NULL AND verified_at IS NOT NULL)),
  ADD CONSTRAINT provider_operation_amounts_check
    CHECK (grams > 0 AND amount_paise >= 0 AND attempts >= 0);
-- Gold is never bought or sold twice: one undecided confirm of an order, and one that was done.
CREATE UNIQUE INDEX provider_operation_undecided_confirm_key ON provider_operation (order_id)
  WHERE operation IN ('buy-confirm', 'sell-confirm') AND status IN ('INTENDED', 'UNKNOWN');
CREATE UNIQUE INDEX provider_operation_done_confirm_key ON provider_operation (order_id)
  WHERE operation IN ('buy-confirm', 'sell-confirm') AND status = 'DONE';
CREATE INDEX provider_operation_undecided_idx ON provider_operation (started_at)
  WHERE status IN ('INTENDED', 'UNKNOWN');

-- ---------------------------------------------------------------- SIP

ALTER TABLE sip_plan
  ADD CONSTRAINT sip_plan_status_check CHECK (status IN ('ACTIVE', 'CANCELLED', 'COMPLETED')),
  ADD CONSTRAINT sip_plan_amount_check CHECK (amount_paise >= 1000),
  ADD CONSTRAINT sip_plan_frequency_check CHECK (frequency IN ('DAILY', 'WEEKLY', 'MONTHLY')),
  ADD CONSTRAINT sip_plan_duration_check CHECK (duration_installments BETWEEN 1 AND 240),
  ADD CONSTRAINT sip_plan_raised_check
    CHECK (installments_raised BETWEEN 0 AND duration_installments),
  ADD CONSTRAINT sip_plan_cancelled_check CHECK (status <> 'CANCELLED' OR cancelled_at IS NOT NULL),
  ADD CONSTRAINT sip_plan_completed_check CHECK (status <> 'COMPLETED' OR completed_at IS NOT NULL);
CREATE INDEX sip_plan_due_idx ON sip_plan (next_due_at) WHERE status = 'ACTIVE';

-- ---------------------------------------------------------------- holdings

ALTER TABLE holding
  ADD CONSTRAINT holding_balance_check CHECK (balance >= 0),
  ADD CONSTRAINT holding_reserved_check CHECK (reserved >= 0 AND reserved <= balance),
  ADD CONSTRAINT holding_invested_check CHECK (invested_paise >= 0);
ALTER TABLE holding_movement
  ADD CONSTRAINT holding_movement_kind_check CHECK (
    (kind = 'CREDIT' AND grams > 0 AND invested_paise >= 0)
    OR (kind IN ('DEBIT', 'FORFEITED') AND grams < 0 AND invested_paise <= 0)),
  ADD CONSTRAINT holding_movement_order_check
    CHECK ((kind = 'FORFEITED') = (order_id IS NULL)),
  ADD CONSTRAINT holding_movement_after_check
    CHECK (balance_after >= 0 AND invested_after_paise >= 0);

-- ---------------------------------------------------------------- payments

ALTER TABLE payment_order
  ADD CONSTRAINT payment_order_status_check CHECK (status IN (
    'CREATED', 'GATEWAY_ORDER_CREATED', 'PAID', 'FAILED', 'MANUAL_REVIEW', 'EXPIRED', 'REFUNDED')),
  ADD CONSTRAINT payment_order_amount_check CHECK (amount_paise > 0),
  ADD CONSTRAINT payment_order_currency_check CHECK (currency = 'INR'),
  ADD CONSTRAINT payment_order_gateway_order_check
    CHECK (status <> 'GATEWAY_ORDER_CREATED' OR gateway_order_id IS NOT NULL),
  ADD CONSTRAINT payment_order_paid_check
    CHECK (status <> 'PAID' OR (paid_at IS NOT NULL AND captured_payment_id IS NOT NULL)),
  ADD CONSTRAINT payment_order_terms_check
    CHECK ((terms_accepted_at IS NULL) = (terms_accepted_version IS NULL)),
  ADD CONSTRAINT payment_order_debit_check
    CHECK (debit_status IN ('SCHEDULED', 'INTENDED', 'ACCEPTED', 'REFUSED', 'UNKNOWN'));
-- A second capture may pay a closed one again, but only one is ever open for payment.
CREATE UNIQUE INDEX payment_order_open_key ON payment_order (order_id)
  WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED');
CREATE INDEX payment_order_unpaid_expiry_idx ON payment_order (expires_at)
  WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED');
CREATE INDEX payment_order_debit_due_idx ON payment_order (debit_due_at)
  WHERE debit_status IN ('SCHEDULED', 'INTENDED', 'UNKNOWN');

ALTER TABLE gateway_payment
  ADD CONSTRAINT gateway_payment_status_check CHECK (status IN ('CAPTURED', 'FAILED', 'REFUNDED')),
  ADD CONSTRAINT gateway_payment_standing_check CHECK (standing IN (
    'NONE', 'APPLIED', 'SECOND', 'MISMATCH', 'LATE', 'UNMATCHED', 'REFUNDED')),
  ADD CONSTRAINT gateway_payment_amount_check CHECK (amount_paise >= 0);
-- The gold of an order is bought with one payment.
CREATE UNIQUE INDEX gateway_payment_applied_key ON gateway_payment (payment_order_id)
  WHERE standing = 'APPLIED';

ALTER TABLE webhook_event
  ADD CONSTRAINT webhook_event_source_check CHECK (source IN ('payment', 'payout', 'kyc')),
  ADD CONSTRAINT webhook_event_status_check
    CHECK (status IN ('PENDING', 'APPLIED', 'IGNORED', 'UNMATCHED', 'UNREADABLE')),
  ADD CONSTRAINT webhook_event_applied_check CHECK (status <> 'APPLIED' OR applied_at IS NOT NULL),
  ADD CONSTRAINT webhook_event_attempts_check CHECK (attempts >= 0);
CREATE INDEX webhook_event_backlog_idx ON webhook_event (received_at)
  WHERE status IN ('PENDING', 'UNMATCHED');
CREATE INDEX webhook_event_purge_idx ON webhook_event (purge_after) WHERE sealed_body IS NOT NULL;

ALTER TABLE gateway_setting
  ADD CONSTRAINT gateway_setting_mode_check CHECK (mode IN ('test', 'live'));
ALTER TABLE gateway_routing
  ADD CONSTRAINT gateway_routing_single_check CHECK (id = 1);

-- ---------------------------------------------------------------- payouts

ALTER TABLE payout
  ADD CONSTRAINT payout_status_check
    CHECK (status IN ('PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED')),
  ADD CONSTRAINT payout_amount_check CHECK (amount_paise > 0),
  ADD CONSTRAINT payout_attempt_no_check CHECK (attempt >= 0),
  ADD CONSTRAINT payout_paid_check CHECK (status <> 'PAID' OR paid_at IS NOT NULL),
  ADD CONSTRAINT payout_approval_check CHECK ((approved_by IS NULL) OR (approved_at IS NOT NULL));
CREATE INDEX payout_open_idx ON payout (updated_at) WHERE status IN ('PENDING', 'PROCESSING');

ALTER TABLE payout_attempt
  ADD CONSTRAINT payout_attempt_status_check CHECK (status IN (
    'INTENDED', 'PROCESSING', 'UNKNOWN', 'REFUSED', 'PAID', 'FAILED', 'REVERSED')),
  ADD CONSTRAINT payout_attempt_number_check CHECK (attempt_no >= 1),
  ADD CONSTRAINT payout_attempt_key_check
    CHECK (idempotency_key = replace(payout_id::text, '-', '') || '-' || attempt_no::text);
-- A further attempt starts only when the earlier one certainly did not pay.
CREATE UNIQUE INDEX payout_attempt_live_key ON payout_attempt (payout_id)
  WHERE status IN ('INTENDED', 'PROCESSING', 'UNKNOWN', 'PAID');
CREATE INDEX payout_attempt_undecided_idx ON payout_attempt (started_at)
  WHERE status IN ('INTENDED', 'PROCESSING', 'UNKNOWN');

-- ---------------------------------------------------------------- jewellery

ALTER TABLE product
  ADD CONSTRAINT product_pricing_check CHECK (pricing_mode IN ('FIXED', 'DYNAMIC')),
  ADD CONSTRAINT product_karat_check CHECK (purity_karat BETWEEN 1 AND 24),
  ADD CONSTRAINT product_amounts_check CHECK (weight_grams > 0 AND price_paise > 0
    AND rate_per_gram_paise > 0),
  ADD CONSTRAINT product_charges_check
    CHECK (making_charge_bps >= 0 AND discount_bps BETWEEN 0 AND 10000);
CREATE INDEX product_active_idx ON product (category, created_at DESC, id DESC) WHERE is_active;
CREATE INDEX product_dynamic_idx ON product (price_computed_at)
  WHERE is_active AND pricing_mode = 'DYNAMIC';

ALTER TABLE product_order
  ADD CONSTRAINT product_order_status_check CHECK (status IN (
    'PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED')),
  ADD CONSTRAINT product_order_amounts_check CHECK (items_total_paise > 0 AND gst_paise >= 0
    AND gst_rate_bps >= 0 AND delivery_fee_paise >= 0),
  ADD CONSTRAINT product_order_total_check
    CHECK (total_paise = items_total_paise + gst_paise + delivery_fee_paise),
  ADD CONSTRAINT product_order_key_check
    CHECK ((idempotency_key IS NULL) OR (payload_hash IS NOT NULL)),
  ADD CONSTRAINT product_order_method_check CHECK (payment_method = 'COD');
ALTER TABLE product_order_line
  ADD CONSTRAINT product_order_line_quantity_check CHECK (quantity BETWEEN 1 AND 10),
  ADD CONSTRAINT product_order_line_number_check CHECK (line_no BETWEEN 1 AND 20),
  ADD CONSTRAINT product_order_line_total_check CHECK (unit_price_paise > 0 AND gst_paise >= 0
    AND line_total_paise = unit_price_paise * quantity + gst_paise);

-- ---------------------------------------------------------------- referrals, support, legal

ALTER TABLE referral
  ADD CONSTRAINT referral_status_check CHECK (status IN ('APPLIED', 'REWARDED')),
  ADD CONSTRAINT referral_own_code_check CHECK (referrer_user_id <> referee_user_id);
ALTER TABLE referral_reward
  ADD CONSTRAINT referral_reward_status_check CHECK (status IN ('PENDING', 'GRANTED')),
  ADD CONSTRAINT referral_reward_amount_check CHECK (amount_paise >= 0);

ALTER TABLE support_ticket
  ADD CONSTRAINT support_ticket_category_check CHECK (category IN ('CONTACT', 'GRIEVANCE')),
  ADD CONSTRAINT support_ticket_status_check
    CHECK (status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'));
CREATE INDEX support_ticket_purge_idx ON support_ticket (purge_after)
  WHERE message_sealed IS NOT NULL;

ALTER TABLE legal_field
  ADD CONSTRAINT legal_field_section_check CHECK (section IN ('entity', 'provider', 'pricing'));

-- ---------------------------------------------------------------- settings, operators, accounting

ALTER TABLE limits_setting
  ADD CONSTRAINT limits_setting_single_check CHECK (id = 1),
  ADD CONSTRAINT limits_setting_range_check CHECK (
    min_buy_paise > 0 AND max_buy_paise >= min_buy_paise AND daily_buy_paise >= 0
    AND min_sell_paise > 0 AND max_sell_paise >= min_sell_paise
    AND min_sip_paise > 0 AND max_sip_paise >= min_sip_paise
    AND delivery_fee_paise >= 0 AND free_delivery_from_paise >= 0);
ALTER TABLE banner
  ADD CONSTRAINT banner_window_check CHECK (ends_at > starts_at);

ALTER TABLE admin_user
  ADD CONSTRAINT admin_user_email_check CHECK (email = lower(email)),
  ADD CONSTRAINT admin_user_role_check CHECK (role IN ('SUPER_ADMIN', 'ADMIN', 'SUPPORT'));
ALTER TABLE admin_login_guard
  ADD CONSTRAINT admin_login_guard_email_check CHECK (email = lower(email)),
  ADD CONSTRAINT admin_login_guard_failures_check CHECK (failures >= 0);
ALTER TABLE portal_user
  ADD CONSTRAINT portal_user_email_check CHECK (email = lower(email)),
  ADD CONSTRAINT portal_user_role_check CHECK (role IN (
    'super_admin', 'finance_head', 'accountant', 'tax_officer', 'reconciliation_analyst',
    'compliance_officer', 'auditor', 'viewer'));
ALTER TABLE portal_login_guard
  ADD CONSTRAINT portal_login_guard_email_check CHECK (email = lower(email)),
  ADD CONSTRAINT portal_login_guard_failures_check CHECK (failures >= 0);

ALTER TABLE statutory_parameter
  ADD CONSTRAINT statutory_parameter_gst_check CHECK (
    key <> 'gst_rate_bps'
    OR CASE WHEN value ~ '^[0-9]{1,5}$' THEN value::int <= 10000 ELSE false END);
ALTER TABLE month_end_close
  ADD CONSTRAINT month_end_close_period_check CHECK (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$');
ALTER TABLE deploy_trigger
  ADD CONSTRAINT deploy_trigger_target_check
    CHECK (target IN ('backend', 'website', 'admin-portal', 'monitoring'));

ALTER TABLE idempotency_key
  ADD CONSTRAINT idempotency_key_status_check CHECK (status IN ('RUNNING', 'DONE')),
  ADD CONSTRAINT idempotency_key_done_check CHECK (status <> 'DONE' OR resource_id IS NOT NULL);

-- ---------------------------------------------------------------- append-only tables

-- Also for the owner. Where the law demands a change, the owner disables the trigger, on record.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER gold_order_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON gold_order_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER holding_movement_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON holding_movement
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statutory_parameter_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON statutory_parameter
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER policy_determination_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON policy_determination
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reconciliation_sign_off_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON reconciliation_sign_off
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER month_end_close_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON month_end_close
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- ---------------------------------------------------------------- rights of the application

GRANT USAGE ON SCHEMA public TO dgs_app;
GRANT SELECT, INSERT ON
  audit_log, gold_order_event, holding_movement, statutory_parameter, policy_determination,
  reconciliation_sign_off, month_end_close
  TO dgs_app;
-- Kept for good, so never deleted: money, what moved it, and who owns it.
GRANT SELECT, INSERT, UPDATE ON
  app_user, user_data_key, kyc_record, bank_account, gold_quote, gold_order, provider_operation,
  sip_plan, holding, payment_order, gateway_payment, webhook_event, payout, payout_attempt,
  product, product_order, product_order_line, referral, referral_reward, policy_version,
  price_config, limits_setting, gateway_routing, admin_user, portal_user, deploy_trigger
  TO dgs_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  session, used_refresh_token, biometric_token, otp_code, otp_guard, otp_send, mpin_guard,
  push_token, deleted_phone, kyc_document, price_snapshot, notification, support_ticket,
  legal_field, feature_flag, banner, gateway_setting, readiness_evidence, admin_login_guard,
  portal_login_guard, portal_session, idempotency_key, scheduled_job
  TO dgs_app;
GRANT SELECT, INSERT, DELETE ON audit_personal_detail TO dgs_app;
GRANT USAGE ON SEQUENCE audit_log_seq_seq, gold_order_event_seq_seq TO dgs_app;

-- ---------------------------------------------------------------- rows that always exist

INSERT INTO price_config (id, buy_spread_bps, sell_spread_bps, updated_at) VALUES (1, 0, 0, now());
INSERT INTO limits_setting (
  id, min_buy_paise, max_buy_paise, daily_buy_paise, min_sell_paise, max_sell_paise,
  min_sip_paise, max_sip_paise, delivery_fee_paise, free_delivery_from_paise, updated_at)
VALUES (1, 1000, 20000000, 50000000, 1000, 50000000, 1000, 10000000, 9900, 500000, now());
INSERT INTO gateway_routing (id, priority, updated_at) VALUES (1, '{}', now());
INSERT INTO statutory_parameter (id, key, value, effective_from, note, created_at) VALUES
  ('01890000-0000-7000-8000-000000000001', 'gst_rate_bps', '300', '2017-07-01',
   'GST on gold, in basis points', now());
