import type { Row } from './rows.ts';

/** A check, a row that it refuses by these columns alone, and one that it lets be. */
export type CheckCase = readonly [constraint: string, illegal: Row, legal: Row];

const at = '2026-11-21T09:00:00.000Z';
const [one, other] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
];
const held = { holder_id: one, lease_until: at };

/** People, what they sign in with, and what operators and accountants are. */
const people: readonly CheckCase[] = [
  [
    'user_data_key_destroyed_check',
    { wrapped_key: String.raw`\x` },
    { wrapped_key: String.raw`\x01` },
  ],
  ['otp_code_purpose_check', { purpose: 'fun' }, { purpose: 'login' }],
  ['otp_guard_purpose_check', { purpose: 'fun' }, { purpose: 'deletion' }],
  [
    'otp_guard_wrong_check',
    { previous_wrong_at: at },
    { previous_wrong_at: at, last_wrong_at: at },
  ],
  ['otp_send_purpose_check', { purpose: 'fun' }, { purpose: 'mpin-reset' }],
  ['otp_send_audience_check', { audience: 'nobody' }, { audience: 'unsent' }],
  ['push_token_platform_check', { platform: 'desk' }, { platform: 'web' }],
  ['trusted_device_device_id_check', { device_id: 'x'.repeat(15) }, { device_id: 'x'.repeat(16) }],
  ['trusted_device_refusals_check', { refusals: -1 }, { refusals: 0 }],
  ['security_event_count_check', { count: 0 }, { count: 1 }],
  ['security_event_kind_check', { kind: 'yawn' }, { kind: 'mpin_set' }],
  ['refusal_count_refusals_check', { refusals: 0 }, { refusals: 1 }],
  ['use_window_uses_check', { uses: 0 }, { uses: 1 }],
  ['kyc_record_status_check', { status: 'LOST' }, { status: 'REJECTED' }],
  ['kyc_record_submitted_check', { status: 'SUBMITTED' }, { status: 'PENDING' }],
  ['kyc_record_last4_check', { pan_last4: '123' }, { pan_last4: '1234', aadhaar_last4: '1234' }],
  ['kyc_record_rejected_check', { status: 'REJECTED' }, { status: 'REJECTED', review_reason: 'x' }],
  ['kyc_record_claim_check', { claimed_by: one }, { claimed_by: one, claimed_until: at }],
  ['kyc_document_kind_check', { kind: 'LETTER' }, { kind: 'SELFIE' }],
  ['kyc_document_size_check', { size_bytes: 3_145_729 }, { size_bytes: 3_145_728 }],
  ['admin_user_email_check', { email: 'A@b.in' }, { email: 'a@b.in' }],
  ['admin_user_role_check', { role: 'OWNER' }, { role: 'SUPPORT' }],
  ['admin_login_guard_email_check', { email: 'A@b.in' }, { email: 'a@b.in' }],
  ['admin_login_guard_failures_check', { failures: -1 }, { failures: 0 }],
  ['portal_user_email_check', { email: 'A@b.in' }, { email: 'a@b.in' }],
  ['portal_user_role_check', { role: 'owner' }, { role: 'viewer' }],
  ['portal_login_guard_email_check', { email: 'A@b.in' }, { email: 'a@b.in' }],
  ['portal_login_guard_failures_check', { failures: -1 }, { failures: 0 }],
  ['referral_status_check', { status: 'LOST' }, { status: 'REWARDED' }],
  [
    'referral_own_code_check',
    { referrer_user_id: one, referee_user_id: one },
    { referrer_user_id: one, referee_user_id: other },
  ],
  ['support_ticket_category_check', { category: 'LETTER' }, { category: 'GRIEVANCE' }],
  ['support_ticket_status_check', { status: 'LOST' }, { status: 'CLOSED' }],
  [
    'support_ticket_event_status_check',
    { from_status: 'OPEN', to_status: 'OPEN' },
    { from_status: 'OPEN', to_status: 'CLOSED' },
  ],
];

/** Gold and money: quotes, orders, payments, payouts, holdings, plans, rewards. */
const money: readonly CheckCase[] = [
  ['bank_account_status_check', { status: 'LOST' }, { status: 'VERIFIED' }],
  ['bank_account_last4_check', { account_last4: '123' }, { account_last4: '1234' }],
  ['bank_account_score_check', { name_match_score: 101 }, { name_match_score: 100 }],
  ['bank_account_attempt_check', { validation_attempt: -1 }, { validation_attempt: 0 }],
  [
    'bank_account_validation_lease_check',
    { validation_holder_id: one },
    { validation_holder_id: one, validation_lease_until: at },
  ],
  ['gold_quote_unit_check', { unit: 'TOLA' }, { unit: 'GRAMS' }],
  ['gold_order_unit_check', { unit: 'TOLA' }, { unit: 'INR' }],
  [
    'gold_order_total_check',
    { gold_value_paise: 100, gst_paise: 3, amount_paise: 104 },
    { gold_value_paise: 100, gst_paise: 3, amount_paise: 103 },
  ],
  [
    'gold_order_quoted_check',
    { type: 'BUY', quote_id: one, grams: '1' },
    { type: 'BUY', quote_id: one, grams: '1', price_per_gram_paise: 1 },
  ],
  [
    'gold_order_review_reason_check',
    { manual_review_code: 'LATE_CAPTURE' },
    { manual_review_code: 'LATE_CAPTURE', manual_review_reason: 'x' },
  ],
  [
    'gold_order_review_code_check',
    { manual_review_code: 'MOOD' },
    { manual_review_code: 'PAYMENT_REVERSED' },
  ],
  [
    'gold_order_confirmed_check',
    { confirmed_at: at, type: 'BUY' },
    { confirmed_at: at, type: 'SELL' },
  ],
  ['provider_operation_operation_check', { operation: 'ask' }, { operation: 'register' }],
  ['provider_operation_status_check', { status: 'LOST' }, { status: 'UNKNOWN' }],
  ['provider_operation_amounts_check', { grams: '0' }, { grams: '0.0001', amount_paise: 0 }],
  ['provider_operation_lease_check', { holder_id: one }, held],
  ['sip_plan_status_check', { status: 'LOST' }, { status: 'PAUSED' }],
  ['sip_plan_completed_check', { status: 'COMPLETED' }, { status: 'COMPLETED', completed_at: at }],
  [
    'sip_plan_mandate_check',
    { mandate_token_sealed: 'x' },
    { mandate_token_sealed: 'x', mandate_gateway: 'sandbox' },
  ],
  ['holding_balance_check', { balance: '-0.0001' }, { balance: '0' }],
  ['holding_reserved_check', { reserved: '1', balance: '0.9999' }, { reserved: '1', balance: '1' }],
  ['holding_invested_check', { invested_paise: -1 }, { invested_paise: 0 }],
  ['payment_order_debit_check', { debit_status: 'LOST' }, { debit_status: 'ACCEPTED' }],
  [
    'payment_order_debit_whole_check',
    { debit_due_at: at, debit_status: 'SCHEDULED' },
    { debit_due_at: at, debit_status: 'SCHEDULED', mandate_token_sealed: 'x' },
  ],
  ['payment_order_lease_check', { lease_until: at }, held],
  ['gateway_payment_status_check', { status: 'LOST' }, { status: 'REFUNDED' }],
  ['gateway_attempt_status_check', { status: 'LOST' }, { status: 'INTENDED' }],
  ['gateway_attempt_ended_check', { status: 'DONE' }, { status: 'DONE', ended_at: at }],
  [
    'gateway_attempt_turned_down_check',
    { status: 'UNKNOWN', turned_down: true },
    { status: 'REFUSED', turned_down: true },
  ],
  ['webhook_event_status_check', { status: 'LOST' }, { status: 'IGNORED' }],
  ['webhook_event_attempts_check', { attempts: -1 }, { attempts: 0 }],
  ['payout_status_check', { status: 'LOST' }, { status: 'REVERSED' }],
  ['payout_attempt_no_check', { attempt: -1 }, { attempt: 0 }],
  ['payout_approval_check', { approved_by: one }, { approved_by: one, approved_at: at }],
  [
    'payout_hold_check',
    { hold: 'DAILY_SUM', approval_required: false },
    { hold: 'DAILY_SUM', approval_required: true },
  ],
  ['payout_attempt_status_check', { status: 'LOST' }, { status: 'REFUSED' }],
  ['payout_attempt_number_check', { attempt_no: 0 }, { attempt_no: 1 }],
  ['payout_attempt_lease_check', { holder_id: one }, held],
  ['idempotency_key_status_check', { status: 'LOST' }, { status: 'RUNNING' }],
  ['idempotency_key_done_check', { status: 'DONE' }, { status: 'DONE', resource_id: one }],
  ['transaction_count_count_check', { count: 0 }, { count: 1 }],
  ['running_total_shard_check', { shard: 64 }, { shard: 63 }],
  ['order_call_try_ended_check', { duration_ms: 1 }, { duration_ms: 1, outcome: 'DONE' }],
  ['order_part_event_part_check', { part: 'quote' }, { part: 'payout' }],
  ['referral_reward_amount_check', { amount_paise: -1 }, { amount_paise: 0 }],
  ['referral_reward_status_check', { status: 'LOST' }, { status: 'PAID' }],
  ['referral_reward_bought_check', { bought_at: at }, { bought_at: at, order_id: one }],
  [
    'referral_reward_reversed_check',
    { status: 'REVERSED' },
    { status: 'REVERSED', reversed_at: at },
  ],
  [
    'referral_reward_earned_check',
    { status: 'EARNED', order_id: one, earned_at: at },
    { status: 'EARNED', order_id: one, earned_at: at, amount_paise: 0 },
  ],
  [
    'referral_reward_approved_check',
    { status: 'APPROVED' },
    { status: 'APPROVED', approved_at: at, approved_by: one },
  ],
  [
    'referral_reward_paid_check',
    { status: 'PAID', paid_at: at, paid_by: one },
    { status: 'PAID', paid_at: at, paid_by: one, payment_reference: 'x' },
  ],
];

/** The shop, prices, and what one row of the house stands for. */
const house: readonly CheckCase[] = [
  ['price_snapshot_source_check', { source: 'RUMOUR' }, { source: 'MANUAL' }],
  ['price_snapshot_price_check', { buy_paise: 0 }, { buy_paise: 1 }],
  ['price_snapshot_tick_check', { mark: at }, { mark: at, seq: 1 }],
  ['price_snapshot_seq_check', { seq: 0 }, { seq: 1 }],
  ['price_snapshot_manual_check', { source: 'MANUAL' }, { source: 'MANUAL', actor_id: one }],
  ['price_config_single_check', { id: 2 }, { id: 1 }],
  ['price_config_spread_check', { buy_spread_bps: 10_000 }, { buy_spread_bps: 9999 }],
  ['gateway_setting_mode_check', { mode: 'dry' }, { mode: 'live' }],
  ['gateway_routing_single_check', { id: 2 }, { id: 1 }],
  ['product_pricing_check', { pricing_mode: 'HAGGLED' }, { pricing_mode: 'DYNAMIC' }],
  ['product_karat_check', { purity_karat: 25 }, { purity_karat: 24 }],
  ['product_amounts_check', { price_paise: 0 }, { price_paise: 1 }],
  ['product_charges_check', { discount_bps: 10_001 }, { discount_bps: 10_000 }],
  ['product_image_status_check', { status: 'LOST' }, { status: 'REMOVING' }],
  ['product_image_ended_check', { status: 'REPLACED' }, { status: 'REPLACED', ended_at: at }],
  ['product_word_length_check', { word: 'a' }, { word: 'as' }],
  ['product_order_amounts_check', { items_total_paise: 0 }, { items_total_paise: 1 }],
  ['product_order_method_check', { payment_method: 'UPI' }, { payment_method: 'COD' }],
  [
    'product_order_carrier_check',
    { consignment_number: 'x' },
    { consignment_number: 'x', carrier: 'y' },
  ],
  [
    'product_order_cash_check',
    { cash_received_paise: 1, total_paise: 2, status: 'SHIPPED' },
    { cash_received_paise: 2, total_paise: 2, status: 'DELIVERED' },
  ],
  ['product_order_cash_amount_check', { amount_paise: 0 }, { amount_paise: 1 }],
  ['product_stock_count_check', { count: -1 }, { count: 0 }],
  ['catalogue_version_one_check', { id: 2 }, { id: 1 }],
  ['setting_version_name_check', { name: 'moods' }, { name: 'spreads' }],
  ['limits_setting_single_check', { id: 2 }, { id: 1 }],
  ['limits_setting_range_check', { min_buy_paise: 2, max_buy_paise: 1 }, { min_buy_paise: 1 }],
  ['limits_setting_added_check', { mandate_max_paise: 0 }, { mandate_max_paise: 1 }],
  ['banner_window_check', { starts_at: at, ends_at: at }, { starts_at: at }],
  ['legal_field_section_check', { section: 'poem' }, { section: 'pricing' }],
  ['policy_version_content_check', {}, { url: 'x' }],
];

/** Accounting, audit, and what the service keeps of its own work. */
const books: readonly CheckCase[] = [
  [
    'statutory_parameter_gst_check',
    { key: 'gst_rate_bps', value: '10001' },
    { key: 'gst_rate_bps', value: '10000' },
  ],
  ['month_end_close_period_check', { period: '2026-13' }, { period: '2026-12' }],
  ['month_end_close_revision_check', { revision: 0 }, { revision: 1 }],
  ['month_end_reopening_reason_check', { reason: '' }, { reason: 'x' }],
  ['deploy_trigger_status_check', { status: 'LOST' }, { status: 'UNKNOWN' }],
  ['deploy_trigger_target_check', { target: 'moon' }, { target: 'monitoring' }],
  ['audit_log_sealed_for_check', { sealed_for_user_id: one }, {}],
  ['audit_chain_number_check', { number: 0 }, { number: 1 }],
  [
    'audit_chain_hash_check',
    { hash: String.raw`\x01` },
    { hash: String.raw`\x${'01'.repeat(32)}` },
  ],
  ['wrapping_key_number_check', { number: 0 }, { number: 1 }],
  ['wrapping_key_wrapped_check', { wrapped: '' }, { wrapped: 'x' }],
  ['reconciliation_run_kind_check', { kind: 'GUESS' }, { kind: 'DATABASE_RULES' }],
  [
    'reconciliation_run_trigger_check',
    { trigger: 'SCHEDULE', due_at: at, requested_by: one },
    { trigger: 'SCHEDULE', due_at: at },
  ],
  ['reconciliation_run_status_check', { status: 'LOST' }, { status: 'QUEUED' }],
  ['reconciliation_run_result_check', { status: 'FAILED' }, { status: 'FAILED', finished_at: at }],
  ['reconciliation_run_window_check', { window_hours: 721 }, { window_hours: 720 }],
];

export const checkCases: readonly CheckCase[] = [...people, ...money, ...house, ...books];
