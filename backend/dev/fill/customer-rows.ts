import { phoneOf } from './made-up-people.ts';
import type { SqlTerms } from './series.ts';

/** Returns the statements that write the customers, their KYC, bank accounts and plans. */
export const customerStatements = (terms: SqlTerms): readonly string[] => {
  const { series } = terms;
  return [
    `INSERT INTO app_user (id, phone, phone_hash, phone_hash_key, full_name, email, referral_code,
       provider_user_id, blocked, blocked_reason, blocked_at, deleted_at, created_at, updated_at)
     SELECT id, CASE WHEN is_here THEN ${phoneOf(terms)} END, phone_hash, phone_hash_key,
       CASE WHEN is_here THEN 'Customer ' || u END,
       CASE WHEN is_here THEN 'customer-' || u || '@fill${series}.example' END,
       ${terms.name('R', 'u')},
       CASE WHEN kind = 'trading' THEN (${series} * 100000000000 + 50000000000 + u)::text END,
       u % 100 = 37, CASE WHEN u % 100 = 37 THEN 'Filled as blocked' END,
       CASE WHEN u % 100 = 37 THEN at + interval '1 minute' END,
       CASE WHEN NOT is_here THEN at + interval '1 day' END, at, at
     FROM (SELECT f.*, kind <> 'deleted' AS is_here, phone_hash, phone_hash_key
       FROM fill_user f LEFT JOIN fill_sealed s USING (u)) AS customer ORDER BY u`,
    `INSERT INTO user_data_key (user_id, key_id, wrapped_key, created_at)
     SELECT id, s.key_id, decode(s.wrapped, 'hex'), at
     FROM fill_user JOIN fill_sealed s USING (u, id) ORDER BY u`,
    `INSERT INTO kyc_record (id, user_id, status, pan_sealed, pan_last4, pan_hash, aadhaar_sealed,
       aadhaar_last4, aadhaar_hash, hash_key, full_name_sealed, date_of_birth_sealed,
       pincode_sealed, review_reason_sealed, submitted_at,
       reviewed_at, provider_registered_at, created_at, updated_at)
     SELECT ${terms.id('kyc', 'u')}, id,
       CASE kind WHEN 'trading' THEN 'APPROVED' WHEN 'submitted' THEN 'SUBMITTED'
         WHEN 'rejected' THEN 'REJECTED' ELSE 'PENDING' END,
       pan_sealed, pan_last4, pan_hash, aadhaar_sealed, aadhaar_last4, aadhaar_hash, hash_key,
       full_name_sealed, birth_sealed, pincode_sealed,
       CASE WHEN kind = 'rejected' THEN reason_sealed END,
       at + interval '5 minutes', CASE WHEN kind IN ('trading', 'rejected') THEN
       at + interval '9 minutes' END, CASE WHEN kind = 'trading' THEN at + interval '9 minutes' END,
       at, at + interval '9 minutes'
     FROM fill_user JOIN fill_sealed s USING (u, id)
     WHERE kind NOT IN ('new', 'deleted') ORDER BY u`,
    `INSERT INTO bank_account (id, user_id, status, is_primary, number_sealed, number_hash,
       number_hash_key, account_last4, ifsc, holder_name_sealed,
       name_match_score, provider, provider_contact_id,
       provider_fund_account_id, provider_validation_id, validation_attempt,
       validation_requested_at, verified_at, created_at, updated_at)
     SELECT ${terms.id('bank', 'u')}, id, 'VERIFIED', true, number_sealed, number_hash,
       number_hash_key, number_last4, 'HDFC0000053', holder_sealed, 100, 'razorpayx',
       ${terms.name('cont_', 'u')}, ${terms.name('fa_', 'u')}, ${terms.name('fav_', 'u')}, 1,
       at + interval '10 minutes', at + interval '11 minutes', at + interval '10 minutes',
       at + interval '11 minutes'
     FROM fill_user JOIN fill_sealed s USING (u, id) WHERE kind = 'trading' ORDER BY u`,
    `INSERT INTO bank_validation (bank_account_id, attempt, user_id, requested_at)
     SELECT ${terms.id('bank', 'u')}, 1, id, at + interval '10 minutes'
     FROM fill_user WHERE kind = 'trading' ORDER BY u`,
    `INSERT INTO sip_plan (id, user_id, status, amount_paise, frequency, duration_installments,
       start_date, installments_raised, cancelled_at, completed_at, created_at, updated_at)
     SELECT plan.id, ${terms.id('user', 'u')},
       CASE WHEN raised = 12 THEN 'COMPLETED' ELSE 'CANCELLED' END, amount, 'MONTHLY', 12,
       (at AT TIME ZONE 'Asia/Kolkata')::date, raised,
       CASE WHEN raised < 12 THEN last.ended END, CASE WHEN raised = 12 THEN last.ended END,
       at, last.ended
     FROM fill_plan plan
     JOIN (SELECT p, max(at) + interval '4 days' AS ended FROM fill_order WHERE p IS NOT NULL
       GROUP BY p) AS last USING (p) ORDER BY p`,
  ];
};
