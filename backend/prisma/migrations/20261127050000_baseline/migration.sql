-- The whole schema in one script, in the place of the migrations that `replaces.json` names.
--
-- Its sections are the modules of the service, in such an order that a table stands after those it
-- refers to. Each has its tables with their checks and indexes, then its functions with their
-- triggers. The rules that hold for tables of many modules, the rights of the application's role and
-- the rows that always exist stand at the end.
--
-- prisma/schema says what each table and column is for. Checks, partial and expression indexes,
-- triggers and rights are only here, since Prisma's schema language cannot express them.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dgs_app') THEN
    RAISE EXCEPTION 'the role dgs_app does not exist'
      USING HINT = 'An administrator creates it once: CREATE ROLE dgs_app LOGIN PASSWORD ...';
  END IF;
END
$$;

CREATE SCHEMA IF NOT EXISTS public;

-- The extension is trusted: the owner of the database may create it, no superuser is needed.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- ---------------------------------------------------------------- identity

CREATE TABLE app_user (
  id UUID PRIMARY KEY,
  phone TEXT,
  phone_hash TEXT,
  full_name TEXT,
  email TEXT,
  referral_code TEXT NOT NULL,
  provider_user_id TEXT,
  mpin_hash TEXT,
  mpin_set_at TIMESTAMPTZ(3),
  blocked BOOLEAN NOT NULL DEFAULT false,
  blocked_reason TEXT,
  blocked_at TIMESTAMPTZ(3),
  deleted_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  phone_hash_key TEXT,
  blocked_reason_sealed TEXT,
  CONSTRAINT app_user_phone_check CHECK (phone ~ '^\+91[6-9][0-9]{9}$'),
  CONSTRAINT app_user_deleted_check CHECK (
    (deleted_at IS NULL AND phone IS NOT NULL AND phone_hash IS NOT NULL)
    OR (deleted_at IS NOT NULL AND phone IS NULL AND phone_hash IS NULL AND full_name IS NULL
        AND email IS NULL AND mpin_hash IS NULL)),
  CONSTRAINT app_user_blocked_check CHECK (
    NOT blocked OR blocked_reason IS NOT NULL OR blocked_reason_sealed IS NOT NULL)
);
CREATE UNIQUE INDEX app_user_phone_key ON app_user (phone);
CREATE UNIQUE INDEX app_user_phone_hash_key ON app_user (phone_hash);
CREATE UNIQUE INDEX app_user_referral_code_key ON app_user (referral_code);
CREATE INDEX app_user_created_at_id_idx ON app_user (created_at DESC, id DESC);
CREATE INDEX app_user_lower_email_idx ON app_user (lower(email));
CREATE INDEX app_user_blocked_idx ON app_user (created_at DESC, id DESC) WHERE blocked;
-- The gold provider knows a phone number as one user for good. The next customer with the number of
-- a deleted one is the same user there, and the deleted customer's row keeps the id for the books.
CREATE UNIQUE INDEX app_user_provider_user_id_key ON app_user (provider_user_id)
  WHERE deleted_at IS NULL;
CREATE INDEX app_user_provider_user_id_idx ON app_user (provider_user_id);
-- The purge reads it to find the documents of deleted customers.
CREATE INDEX app_user_deleted_idx ON app_user (deleted_at) WHERE deleted_at IS NOT NULL;
-- Finds customers by a part of their name or email address. The ICU collation folds letters alike
-- whatever the database's own locale is.
CREATE INDEX app_user_search_idx
  ON app_user USING gin (
    lower(normalize(full_name, NFKC) COLLATE "und-x-icu") gin_trgm_ops,
    lower(normalize(email, NFKC) COLLATE "und-x-icu") gin_trgm_ops);

CREATE TABLE user_data_key (
  user_id UUID PRIMARY KEY REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  key_id TEXT NOT NULL,
  wrapped_key BYTEA NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  destroyed_at TIMESTAMPTZ(3),
  CONSTRAINT user_data_key_destroyed_check
    CHECK ((destroyed_at IS NULL) = (octet_length(wrapped_key) > 0))
);

CREATE TABLE session (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  device_id TEXT NOT NULL,
  device_name TEXT,
  family_id UUID NOT NULL,
  refresh_token_hash TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  last_used_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  revoked_reason TEXT,
  wrong_mpins INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX session_refresh_token_hash_key ON session (refresh_token_hash);
CREATE INDEX session_user_id_created_at_idx ON session (user_id, created_at DESC);
CREATE INDEX session_family_id_idx ON session (family_id);
CREATE UNIQUE INDEX session_live_device_key ON session (user_id, device_id)
  WHERE revoked_at IS NULL;
CREATE INDEX session_expires_at_idx ON session (expires_at);
-- Sessions that ended a moment ago are put on the cache's list again whenever the cache comes back.
CREATE INDEX session_revoked_at_idx ON session (revoked_at) WHERE revoked_at IS NOT NULL;

CREATE TABLE used_refresh_token (
  token_hash TEXT PRIMARY KEY,
  session_id UUID NOT NULL REFERENCES session ON DELETE RESTRICT ON UPDATE RESTRICT,
  family_id UUID NOT NULL,
  used_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  successor_hash TEXT
);
CREATE INDEX used_refresh_token_session_id_idx ON used_refresh_token (session_id);
CREATE INDEX used_refresh_token_expires_at_idx ON used_refresh_token (expires_at);

CREATE TABLE biometric_token (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  device_id TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  last_used_at TIMESTAMPTZ(3),
  revoked_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX biometric_token_token_hash_key ON biometric_token (token_hash);
CREATE UNIQUE INDEX biometric_token_user_id_device_id_key ON biometric_token (user_id, device_id);

CREATE TABLE otp_code (
  id UUID PRIMARY KEY,
  phone_hash TEXT NOT NULL,
  purpose TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  consumed_at TIMESTAMPTZ(3),
  CONSTRAINT otp_code_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion'))
);
CREATE INDEX otp_code_phone_hash_purpose_created_at_idx
  ON otp_code (phone_hash, purpose, created_at DESC);
CREATE INDEX otp_code_expires_at_idx ON otp_code (expires_at);

CREATE TABLE trusted_device (
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  device_id TEXT NOT NULL,
  trusted_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  refusals INTEGER NOT NULL DEFAULT 0,
  refused_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  PRIMARY KEY (user_id, device_id),
  CONSTRAINT trusted_device_device_id_check CHECK (char_length(device_id) BETWEEN 16 AND 128),
  CONSTRAINT trusted_device_refusals_check CHECK (refusals >= 0)
);

CREATE TABLE sign_in_guard (
  phone_hash TEXT NOT NULL,
  purpose TEXT NOT NULL,
  caller TEXT NOT NULL,
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  locked_until TIMESTAMPTZ(3),
  PRIMARY KEY (phone_hash, purpose, caller)
);

CREATE TABLE address_refusal (
  address TEXT PRIMARY KEY,
  refused_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[]
);

CREATE TABLE otp_guard (
  phone_hash TEXT NOT NULL,
  purpose TEXT NOT NULL,
  previous_wrong_at TIMESTAMPTZ(3),
  last_wrong_at TIMESTAMPTZ(3),
  locked_until TIMESTAMPTZ(3),
  PRIMARY KEY (phone_hash, purpose),
  CONSTRAINT otp_guard_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion')),
  CONSTRAINT otp_guard_wrong_check CHECK (previous_wrong_at IS NULL OR last_wrong_at IS NOT NULL)
);

CREATE TABLE otp_send (
  id UUID PRIMARY KEY,
  phone_hash TEXT NOT NULL,
  purpose TEXT NOT NULL,
  sent_at TIMESTAMPTZ(3) NOT NULL,
  address TEXT,
  audience TEXT,
  network TEXT,
  CONSTRAINT otp_send_purpose_check CHECK (purpose IN ('login', 'mpin-reset', 'deletion')),
  CONSTRAINT otp_send_audience_check CHECK (audience IN ('customer', 'stranger', 'unsent'))
);
CREATE INDEX otp_send_phone_hash_purpose_sent_at_idx
  ON otp_send (phone_hash, purpose, sent_at DESC);
CREATE INDEX otp_send_sent_at_idx ON otp_send (sent_at);
CREATE INDEX otp_send_address_sent_at_idx ON otp_send (address, sent_at DESC);
CREATE INDEX otp_send_network_sent_at_idx ON otp_send (network, sent_at DESC);
CREATE INDEX otp_send_audience_sent_at_idx ON otp_send (audience, sent_at DESC);

CREATE TABLE mpin_guard (
  phone_hash TEXT PRIMARY KEY,
  locked_until TIMESTAMPTZ(3),
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[]
);

CREATE TABLE push_token (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  token TEXT NOT NULL,
  platform TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT push_token_platform_check CHECK (platform IN ('ios', 'android', 'web'))
);
CREATE UNIQUE INDEX push_token_token_key ON push_token (token);
CREATE INDEX push_token_user_id_idx ON push_token (user_id);

CREATE TABLE deleted_phone (
  phone_hash TEXT PRIMARY KEY,
  until TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX deleted_phone_until_idx ON deleted_phone (until);

-- Names have single blanks, however they are stored, so that an operator who types "Asha Rao" finds
-- her.
CREATE FUNCTION with_single_blanks(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(name, '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800]+', ' ', 'g')
$$;

CREATE FUNCTION keep_single_blanks_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.full_name := with_single_blanks(NEW.full_name);
  RETURN NEW;
END
$$;
CREATE TRIGGER app_user_single_blanks BEFORE INSERT OR UPDATE OF full_name ON app_user
  FOR EACH ROW WHEN (NEW.full_name IS NOT NULL)
  EXECUTE FUNCTION keep_single_blanks_of_user();

-- ---------------------------------------------------------------- admins

CREATE TABLE admin_user (
  id UUID PRIMARY KEY,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  active BOOLEAN NOT NULL DEFAULT true,
  last_login_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  password_changed_at TIMESTAMPTZ(3),
  CONSTRAINT admin_user_email_check CHECK (email = lower(email)),
  CONSTRAINT admin_user_role_check CHECK (role IN ('SUPER_ADMIN', 'ADMIN', 'SUPPORT'))
);
CREATE UNIQUE INDEX admin_user_email_key ON admin_user (email);

CREATE TABLE admin_login_guard (
  email TEXT PRIMARY KEY,
  failures INTEGER NOT NULL DEFAULT 0,
  window_started_at TIMESTAMPTZ(3) NOT NULL,
  locked_until TIMESTAMPTZ(3),
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  CONSTRAINT admin_login_guard_email_check CHECK (email = lower(email)),
  CONSTRAINT admin_login_guard_failures_check CHECK (failures >= 0)
);

CREATE TABLE admin_login_caller (
  email TEXT NOT NULL,
  caller TEXT NOT NULL,
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  locked_until TIMESTAMPTZ(3),
  touched_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (email, caller)
);
CREATE INDEX admin_login_caller_touched_at_idx ON admin_login_caller (touched_at);

-- ---------------------------------------------------------------- accounting

CREATE TABLE portal_user (
  id UUID PRIMARY KEY,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  permissions TEXT[],
  password_hash TEXT NOT NULL,
  active BOOLEAN NOT NULL DEFAULT true,
  last_login_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT portal_user_email_check CHECK (email = lower(email)),
  CONSTRAINT portal_user_role_check CHECK (role IN (
    'super_admin', 'finance_head', 'accountant', 'tax_officer', 'reconciliation_analyst',
    'compliance_officer', 'auditor', 'viewer'))
);
CREATE UNIQUE INDEX portal_user_email_key ON portal_user (email);
CREATE INDEX portal_user_created_at_id_idx ON portal_user (created_at DESC, id DESC);

CREATE TABLE portal_session (
  id UUID PRIMARY KEY,
  portal_user_id UUID NOT NULL REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  token_hash TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  last_used_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX portal_session_token_hash_key ON portal_session (token_hash);
CREATE INDEX portal_session_portal_user_id_idx ON portal_session (portal_user_id);
CREATE INDEX portal_session_expires_at_idx ON portal_session (expires_at);

CREATE TABLE portal_login_guard (
  email TEXT PRIMARY KEY,
  failures INTEGER NOT NULL DEFAULT 0,
  window_started_at TIMESTAMPTZ(3) NOT NULL,
  locked_until TIMESTAMPTZ(3),
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  CONSTRAINT portal_login_guard_email_check CHECK (email = lower(email)),
  CONSTRAINT portal_login_guard_failures_check CHECK (failures >= 0)
);

CREATE TABLE portal_login_caller (
  email TEXT NOT NULL,
  caller TEXT NOT NULL,
  tried_at TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
  locked_until TIMESTAMPTZ(3),
  touched_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (email, caller)
);
CREATE INDEX portal_login_caller_touched_at_idx ON portal_login_caller (touched_at);

CREATE TABLE policy_determination (
  id UUID PRIMARY KEY,
  topic TEXT NOT NULL,
  determination TEXT NOT NULL,
  basis TEXT NOT NULL,
  reference TEXT,
  effective_from DATE NOT NULL,
  created_by UUID NOT NULL REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX policy_determination_created_at_id_idx
  ON policy_determination (created_at DESC, id DESC);

CREATE TABLE reconciliation_sign_off (
  id UUID PRIMARY KEY,
  date DATE NOT NULL,
  totals JSONB NOT NULL,
  note TEXT,
  signed_by UUID NOT NULL REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  signed_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX reconciliation_sign_off_date_key ON reconciliation_sign_off (date);

CREATE TABLE month_end_close (
  id UUID PRIMARY KEY,
  period TEXT NOT NULL,
  totals JSONB NOT NULL,
  closed_by UUID NOT NULL REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  closed_at TIMESTAMPTZ(3) NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  CONSTRAINT month_end_close_period_check CHECK (period ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  CONSTRAINT month_end_close_revision_check CHECK (revision >= 1)
);
CREATE UNIQUE INDEX month_end_close_period_revision_key ON month_end_close (period, revision);

CREATE TABLE month_end_reopening (
  close_id UUID PRIMARY KEY REFERENCES month_end_close ON DELETE RESTRICT ON UPDATE RESTRICT,
  reason TEXT NOT NULL,
  reopened_by UUID NOT NULL REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  reopened_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT month_end_reopening_reason_check CHECK (reason <> '')
);

CREATE FUNCTION keep_single_blanks_of_portal_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name := with_single_blanks(NEW.name);
  RETURN NEW;
END
$$;
CREATE TRIGGER portal_user_single_blanks BEFORE INSERT OR UPDATE OF name ON portal_user
  FOR EACH ROW EXECUTE FUNCTION keep_single_blanks_of_portal_user();

-- A month is closed again only after its earlier close was reopened.
CREATE FUNCTION check_month_end_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.revision > 1 AND NOT EXISTS (
    SELECT FROM month_end_close c JOIN month_end_reopening r ON r.close_id = c.id
    WHERE c.period = NEW.period AND c.revision = NEW.revision - 1) THEN
    RAISE EXCEPTION 'month % is closed', NEW.period USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER month_end_close_revision BEFORE INSERT ON month_end_close
  FOR EACH ROW EXECUTE FUNCTION check_month_end_revision();

-- ---------------------------------------------------------------- settings

CREATE TABLE setting_version (
  name TEXT PRIMARY KEY,
  version UUID NOT NULL,
  CONSTRAINT setting_version_name_check CHECK (name IN ('limits', 'flags', 'banners', 'spreads'))
);

CREATE TABLE limits_setting (
  id INTEGER PRIMARY KEY,
  min_buy_paise BIGINT NOT NULL,
  max_buy_paise BIGINT NOT NULL,
  daily_buy_paise BIGINT NOT NULL,
  min_sell_paise BIGINT NOT NULL,
  max_sell_paise BIGINT NOT NULL,
  min_sip_paise BIGINT NOT NULL,
  max_sip_paise BIGINT NOT NULL,
  delivery_fee_paise BIGINT NOT NULL,
  free_delivery_from_paise BIGINT NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  mandate_max_paise BIGINT NOT NULL DEFAULT 1500000,
  max_open_delivery_paise BIGINT NOT NULL DEFAULT 100000000,
  CONSTRAINT limits_setting_single_check CHECK (id = 1),
  CONSTRAINT limits_setting_range_check CHECK (
    min_buy_paise > 0 AND max_buy_paise >= min_buy_paise AND daily_buy_paise >= 0
    AND min_sell_paise > 0 AND max_sell_paise >= min_sell_paise
    AND min_sip_paise > 0 AND max_sip_paise >= min_sip_paise
    AND delivery_fee_paise >= 0 AND free_delivery_from_paise >= 0),
  CONSTRAINT limits_setting_added_check
    CHECK (mandate_max_paise > 0 AND max_open_delivery_paise >= 0)
);

CREATE TABLE feature_flag (
  key TEXT PRIMARY KEY,
  enabled BOOLEAN NOT NULL,
  description TEXT,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  is_public BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE banner (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  body TEXT,
  image_url TEXT,
  link_url TEXT,
  active BOOLEAN NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  starts_at TIMESTAMPTZ(3),
  ends_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT banner_window_check CHECK (ends_at > starts_at)
);
CREATE INDEX banner_position_id_idx ON banner (position, id);

-- Every change of a setting, a statement by hand too, gives it a new version in the same
-- transaction. The version is random, so that a restored database never returns to an old one.
CREATE FUNCTION renew_setting_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE setting_version SET version = gen_random_uuid() WHERE name = TG_ARGV[0];
  RETURN NULL;
END
$$;
CREATE TRIGGER limits_setting_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON limits_setting
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('limits');
CREATE TRIGGER feature_flag_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON feature_flag
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('flags');
CREATE TRIGGER banner_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON banner
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('banners');

-- ---------------------------------------------------------------- legal

CREATE TABLE policy_version (
  id UUID PRIMARY KEY,
  slug TEXT NOT NULL,
  version TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT,
  verified BOOLEAN NOT NULL DEFAULT false,
  effective_from TIMESTAMPTZ(3) NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  url TEXT,
  CONSTRAINT policy_version_content_check CHECK (body IS NOT NULL OR url IS NOT NULL)
);
CREATE INDEX policy_version_slug_effective_from_idx ON policy_version (slug, effective_from DESC);
CREATE UNIQUE INDEX policy_version_slug_version_key ON policy_version (slug, version);

CREATE TABLE legal_field (
  section TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  verified BOOLEAN NOT NULL DEFAULT false,
  reference TEXT,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (section, key),
  CONSTRAINT legal_field_section_check CHECK (section IN ('entity', 'provider', 'pricing'))
);

-- ---------------------------------------------------------------- readiness

CREATE TABLE readiness_evidence (
  item TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  reference TEXT,
  verified BOOLEAN NOT NULL DEFAULT false,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  expires_on DATE
);

-- ---------------------------------------------------------------- statutory

CREATE TABLE statutory_parameter (
  id UUID PRIMARY KEY,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  effective_from DATE NOT NULL,
  note TEXT,
  created_by UUID REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT statutory_parameter_gst_check CHECK (
    key <> 'gst_rate_bps'
    OR CASE WHEN value ~ '^[0-9]{1,5}$' THEN value::int <= 10000 ELSE false END)
);
CREATE UNIQUE INDEX statutory_parameter_key_effective_from_key
  ON statutory_parameter (key, effective_from);

-- ---------------------------------------------------------------- second-factor

CREATE TABLE second_factor (
  id UUID PRIMARY KEY,
  admin_id UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  portal_user_id UUID REFERENCES portal_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  secret_sealed TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  confirmed_at TIMESTAMPTZ(3),
  last_period INTEGER,
  -- A factor belongs to one person.
  CONSTRAINT second_factor_owner_check CHECK (num_nonnulls(admin_id, portal_user_id) = 1),
  -- A confirmed factor has accepted a code.
  CONSTRAINT second_factor_confirmed_check CHECK (confirmed_at IS NULL OR last_period IS NOT NULL)
);
CREATE UNIQUE INDEX second_factor_admin_id_key ON second_factor (admin_id);
CREATE UNIQUE INDEX second_factor_portal_user_id_key ON second_factor (portal_user_id);

CREATE TABLE recovery_code (
  id UUID PRIMARY KEY,
  factor_id UUID NOT NULL REFERENCES second_factor ON DELETE RESTRICT ON UPDATE RESTRICT,
  code_hash TEXT NOT NULL,
  used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX recovery_code_factor_id_code_hash_key ON recovery_code (factor_id, code_hash);

-- ---------------------------------------------------------------- security-events

CREATE TABLE security_event (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  kind TEXT NOT NULL,
  ip TEXT NOT NULL,
  device_id TEXT,
  minute TIMESTAMPTZ(3),
  count INTEGER NOT NULL DEFAULT 1,
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT security_event_count_check CHECK (count > 0),
  CONSTRAINT security_event_kind_check CHECK (kind IN (
    'device_signed_in', 'sign_in_refused', 'sign_in_locked', 'refresh_token_reused', 'mpin_set',
    'mpin_reset', 'bank_account_added', 'bank_account_removed', 'deletion_requested',
    'device_distrusted', 'biometric_token_issued'))
);
CREATE INDEX security_event_user_id_at_id_idx ON security_event (user_id, at DESC, id DESC);
CREATE INDEX security_event_at_idx ON security_event (at);
CREATE UNIQUE INDEX security_event_user_id_kind_ip_minute_key
  ON security_event (user_id, kind, ip, minute);

-- ---------------------------------------------------------------- notifications

CREATE TABLE notification (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  data JSONB NOT NULL DEFAULT '{}',
  dedupe_key TEXT,
  read_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX notification_dedupe_key_key ON notification (dedupe_key);
CREATE INDEX notification_user_id_created_at_id_idx
  ON notification (user_id, created_at DESC, id DESC);
-- Unread notifications are counted from this index alone, however many were read.
CREATE INDEX notification_unread_idx ON notification (user_id, created_at DESC, id DESC)
  WHERE read_at IS NULL;

-- ---------------------------------------------------------------- audit

CREATE TABLE audit_log (
  id UUID PRIMARY KEY,
  seq BIGSERIAL NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'DONE',
  actor_id UUID,
  actor_email TEXT,
  actor_role TEXT,
  actor_api TEXT NOT NULL,
  target_type TEXT,
  target_id TEXT,
  before JSONB,
  after JSONB,
  request_id TEXT,
  ip TEXT,
  at TIMESTAMPTZ(3) NOT NULL,
  sealed TEXT,
  sealed_for_user_id UUID REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT audit_log_sealed_for_check CHECK (sealed_for_user_id IS NULL OR sealed IS NOT NULL)
);
CREATE UNIQUE INDEX audit_log_seq_key ON audit_log (seq);
CREATE INDEX audit_log_action_seq_idx ON audit_log (action, seq DESC);
CREATE INDEX audit_log_actor_id_seq_idx ON audit_log (actor_id, seq DESC);
CREATE INDEX audit_log_target_type_target_id_seq_idx
  ON audit_log (target_type, target_id, seq DESC);
CREATE INDEX audit_log_at_idx ON audit_log (at DESC);
CREATE INDEX audit_log_sealed_for_user_id_idx ON audit_log (sealed_for_user_id);
CREATE INDEX audit_log_outcome_seq_idx ON audit_log (outcome, seq DESC);
CREATE INDEX audit_log_request_id_seq_idx ON audit_log (request_id, seq DESC);
CREATE INDEX audit_log_ip_seq_idx ON audit_log (ip, seq DESC);
-- It holds the accounting API's part of the log: its own rows, and operators' changes of its users.
CREATE INDEX audit_log_accounting_idx ON audit_log (seq DESC)
  WHERE actor_api = 'accounting' OR target_type = 'portal_user';

CREATE TABLE audit_chain (
  number BIGINT PRIMARY KEY,
  audit_id UUID NOT NULL REFERENCES audit_log ON DELETE RESTRICT ON UPDATE RESTRICT,
  hash BYTEA NOT NULL,
  CONSTRAINT audit_chain_number_check CHECK (number > 0),
  CONSTRAINT audit_chain_hash_check CHECK (octet_length(hash) = 32)
);
CREATE UNIQUE INDEX audit_chain_audit_id_key ON audit_chain (audit_id);

CREATE TABLE audit_pending (
  audit_id UUID PRIMARY KEY
);

CREATE TABLE refusal_count (
  action TEXT NOT NULL,
  address TEXT NOT NULL,
  minute TIMESTAMPTZ(3) NOT NULL,
  refusals INTEGER NOT NULL DEFAULT 1,
  actor_api TEXT NOT NULL,
  details JSONB NOT NULL,
  request_id TEXT NOT NULL,
  ip TEXT NOT NULL,
  PRIMARY KEY (action, address, minute),
  CONSTRAINT refusal_count_refusals_check CHECK (refusals > 0)
);
CREATE INDEX refusal_count_minute_idx ON refusal_count (minute);

-- `modules/audit/chain-hash.ts` hashes the same text. Each field is its length in bytes, a colon
-- and its text, or a hyphen where it is null, so that no two rows have the same text. A column that
-- is added later goes to the end, and only where it is not null, since the hashes of older rows
-- must stay.
CREATE FUNCTION audit_chain_hash(number BIGINT, previous BYTEA, entry audit_log) RETURNS BYTEA
LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(
    string_agg(coalesce(octet_length(value) || ':' || value, '-'), ',' ORDER BY place), 'UTF8'))
  FROM unnest(ARRAY[
    number::text, encode(previous, 'hex'), entry.id::text, entry.seq::text, entry.action,
    entry.outcome, entry.actor_api, entry.actor_id::text, entry.actor_email, entry.actor_role,
    entry.target_type, entry.target_id, entry.before::text, entry.after::text, entry.sealed,
    entry.sealed_for_user_id::text, entry.request_id, entry.ip,
    ((extract(epoch FROM entry.at) * 1000)::bigint)::text
  ]) WITH ORDINALITY AS field (value, place)
$$;

-- Other triggers lock rows at the commit too, in the order of the changes that fired them. So a row
-- is chained in two steps. The second step runs when no other trigger is left, and its lock is the
-- last.
CREATE FUNCTION queue_audit_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_pending (audit_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER audit_log_chain AFTER INSERT ON audit_log
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION queue_audit_row();

CREATE FUNCTION chain_audit_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  entry audit_log%ROWTYPE;
  last audit_chain%ROWTYPE;
BEGIN
  DELETE FROM audit_pending WHERE audit_id = NEW.audit_id;
  SELECT * INTO STRICT entry FROM audit_log WHERE id = NEW.audit_id;
  PERFORM pg_advisory_xact_lock(hashtextextended('audit-chain', 0));
  SELECT * INTO last FROM audit_chain ORDER BY number DESC LIMIT 1;
  last.number := coalesce(last.number, 0) + 1;
  last.hash := coalesce(last.hash, decode(repeat('00', 32), 'hex'));
  INSERT INTO audit_chain (number, audit_id, hash)
  VALUES (last.number, entry.id, audit_chain_hash(last.number, last.hash, entry));
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER audit_pending_chain AFTER INSERT ON audit_pending
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chain_audit_row();

-- ---------------------------------------------------------------- approvals

CREATE TABLE approval_request (
  id UUID PRIMARY KEY,
  api TEXT NOT NULL,
  action TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  target TEXT NOT NULL,
  content_sealed TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_by UUID NOT NULL,
  requested_by_email TEXT NOT NULL,
  requested_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  decided_by UUID,
  decided_by_email TEXT,
  decided_at TIMESTAMPTZ(3),
  CONSTRAINT approval_request_api_check CHECK (api IN ('admin', 'accounting')),
  CONSTRAINT approval_request_status_check
    CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN', 'EXPIRED')),
  -- Requesters cannot approve or reject their own request, and only they can withdraw it.
  CONSTRAINT approval_request_decided_check CHECK (
    (status = 'PENDING') = (decided_at IS NULL)
    AND (decided_by IS NULL) = (decided_by_email IS NULL)
    AND CASE status
      WHEN 'PENDING' THEN decided_by IS NULL
      WHEN 'EXPIRED' THEN decided_by IS NULL
      WHEN 'WITHDRAWN' THEN decided_by = requested_by
      ELSE decided_by <> requested_by END)
);
CREATE INDEX approval_request_api_requested_at_id_idx
  ON approval_request (api, requested_at DESC, id DESC);
CREATE INDEX approval_request_status_expires_at_idx ON approval_request (status, expires_at);
-- At most one request is pending for an action on a target.
CREATE UNIQUE INDEX approval_request_pending_key ON approval_request (api, action, target)
  WHERE status = 'PENDING';

-- ---------------------------------------------------------------- webhook-inbox

CREATE TABLE webhook_event (
  id UUID PRIMARY KEY,
  source TEXT NOT NULL,
  gateway TEXT NOT NULL,
  event_id TEXT,
  body_hash TEXT NOT NULL,
  dedupe_key TEXT,
  event_type TEXT,
  subject TEXT,
  gateway_payment_id TEXT,
  status TEXT NOT NULL,
  sealed_body TEXT,
  sealed_for_user_id UUID REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  purge_after TIMESTAMPTZ(3),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TIMESTAMPTZ(3),
  last_error TEXT,
  received_at TIMESTAMPTZ(3) NOT NULL,
  applied_at TIMESTAMPTZ(3),
  traceparent TEXT,
  CONSTRAINT webhook_event_source_check CHECK (source IN ('payment', 'payout', 'kyc')),
  CONSTRAINT webhook_event_status_check
    CHECK (status IN ('PENDING', 'APPLIED', 'IGNORED', 'UNMATCHED', 'UNREADABLE')),
  CONSTRAINT webhook_event_applied_check CHECK (status <> 'APPLIED' OR applied_at IS NOT NULL),
  CONSTRAINT webhook_event_attempts_check CHECK (attempts >= 0)
);
CREATE INDEX webhook_event_source_gateway_subject_idx ON webhook_event (source, gateway, subject);
CREATE INDEX webhook_event_received_at_idx ON webhook_event (received_at);
CREATE UNIQUE INDEX webhook_event_source_gateway_event_id_key
  ON webhook_event (source, gateway, event_id);
CREATE UNIQUE INDEX webhook_event_source_gateway_body_hash_key
  ON webhook_event (source, gateway, body_hash);
CREATE UNIQUE INDEX webhook_event_source_gateway_dedupe_key_key
  ON webhook_event (source, gateway, dedupe_key);
CREATE INDEX webhook_event_sealed_for_user_id_idx ON webhook_event (sealed_for_user_id);
CREATE INDEX webhook_event_backlog_idx ON webhook_event (received_at)
  WHERE status IN ('PENDING', 'UNMATCHED');
CREATE INDEX webhook_event_purge_idx ON webhook_event (purge_after) WHERE sealed_body IS NOT NULL;
-- A refund's event may name only its payment. An order's timeline finds it by that.
CREATE INDEX webhook_event_gateway_gateway_payment_id_idx
  ON webhook_event (gateway, gateway_payment_id);
-- Stored events are listed by state, newest first. The waiting ones are few among very many.
CREATE INDEX webhook_event_status_received_at_id_idx
  ON webhook_event (status, received_at DESC, id DESC);

-- ---------------------------------------------------------------- price

CREATE TABLE price_snapshot (
  id UUID PRIMARY KEY,
  mark TIMESTAMPTZ(3),
  seq BIGINT,
  source TEXT NOT NULL,
  buy_paise BIGINT NOT NULL,
  sell_paise BIGINT NOT NULL,
  spot_paise BIGINT NOT NULL,
  provider_buy_paise BIGINT,
  provider_sell_paise BIGINT,
  buy_tax_bps INTEGER,
  buy_rate_id TEXT,
  buy_rate_valid_until TIMESTAMPTZ(3),
  sell_rate_id TEXT,
  sell_rate_valid_until TIMESTAMPTZ(3),
  actor_id UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  as_of TIMESTAMPTZ(3) NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT price_snapshot_source_check CHECK (source IN ('PROVIDER', 'MANUAL')),
  CONSTRAINT price_snapshot_price_check CHECK (buy_paise > 0 AND sell_paise > 0 AND spot_paise > 0
    AND provider_buy_paise > 0 AND provider_sell_paise > 0),
  CONSTRAINT price_snapshot_tick_check CHECK ((mark IS NULL) = (seq IS NULL)),
  CONSTRAINT price_snapshot_seq_check CHECK (seq > 0),
  CONSTRAINT price_snapshot_manual_check
    CHECK (source <> 'MANUAL' OR (actor_id IS NOT NULL AND mark IS NULL))
);
CREATE UNIQUE INDEX price_snapshot_mark_key ON price_snapshot (mark);
CREATE UNIQUE INDEX price_snapshot_seq_key ON price_snapshot (seq);
CREATE INDEX price_snapshot_as_of_idx ON price_snapshot (as_of DESC);

CREATE TABLE price_config (
  id INTEGER PRIMARY KEY,
  buy_spread_bps INTEGER NOT NULL,
  sell_spread_bps INTEGER NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT price_config_single_check CHECK (id = 1),
  CONSTRAINT price_config_spread_check
    CHECK (buy_spread_bps BETWEEN 0 AND 9999 AND sell_spread_bps BETWEEN 0 AND 9999)
);
CREATE TRIGGER price_config_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON price_config
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('spreads');

-- ---------------------------------------------------------------- kyc

CREATE TABLE kyc_document (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT kyc_document_kind_check
    CHECK (kind IN ('PAN', 'AADHAAR_FRONT', 'AADHAAR_BACK', 'SELFIE')),
  CONSTRAINT kyc_document_size_check CHECK (size_bytes BETWEEN 1 AND 3145728)
);
CREATE UNIQUE INDEX kyc_document_key_key ON kyc_document (key);
CREATE INDEX kyc_document_user_id_created_at_id_idx
  ON kyc_document (user_id, created_at DESC, id DESC);

CREATE TABLE kyc_record (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  pan_sealed TEXT,
  pan_last4 TEXT,
  pan_hash TEXT,
  aadhaar_sealed TEXT,
  aadhaar_last4 TEXT,
  aadhaar_hash TEXT,
  full_name_sealed TEXT,
  date_of_birth_sealed TEXT,
  pincode TEXT,
  document_key TEXT REFERENCES kyc_document (key) ON DELETE RESTRICT ON UPDATE RESTRICT,
  selfie_key TEXT REFERENCES kyc_document (key) ON DELETE RESTRICT ON UPDATE RESTRICT,
  review_reason TEXT,
  submitted_at TIMESTAMPTZ(3),
  reviewed_at TIMESTAMPTZ(3),
  reviewed_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  provider_registered_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  pincode_sealed TEXT,
  review_reason_sealed TEXT,
  hash_key TEXT,
  claimed_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  claimed_until TIMESTAMPTZ(3),
  reverified_at TIMESTAMPTZ(3),
  CONSTRAINT kyc_record_status_check
    CHECK (status IN ('PENDING', 'SUBMITTED', 'APPROVED', 'REJECTED')),
  CONSTRAINT kyc_record_submitted_check CHECK (status = 'PENDING' OR submitted_at IS NOT NULL),
  CONSTRAINT kyc_record_last4_check CHECK (length(pan_last4) = 4 AND length(aadhaar_last4) = 4),
  CONSTRAINT kyc_record_rejected_check CHECK (
    status <> 'REJECTED' OR review_reason IS NOT NULL OR review_reason_sealed IS NOT NULL),
  CONSTRAINT kyc_record_claim_check CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
);
CREATE UNIQUE INDEX kyc_record_user_id_key ON kyc_record (user_id);
CREATE INDEX kyc_record_status_submitted_at_id_idx
  ON kyc_record (status, submitted_at DESC, id DESC);
CREATE INDEX kyc_record_document_key_idx ON kyc_record (document_key);
CREATE INDEX kyc_record_selfie_key_idx ON kyc_record (selfie_key);
-- A PAN or Aadhaar belongs to one account whose record waits for review or is approved. A record
-- that was rejected, or has to be submitted again, keeps its hashes and reserves nothing.
CREATE UNIQUE INDEX kyc_record_live_pan_key ON kyc_record (pan_hash)
  WHERE status IN ('SUBMITTED', 'APPROVED');
CREATE UNIQUE INDEX kyc_record_live_aadhaar_key ON kyc_record (aadhaar_hash)
  WHERE status IN ('SUBMITTED', 'APPROVED');
-- A sweep seals what older rows have in clear text, and finds them by this index.
CREATE INDEX kyc_record_unsealed_idx ON kyc_record (id)
  WHERE pincode IS NOT NULL OR review_reason IS NOT NULL;

-- ---------------------------------------------------------------- banking

CREATE TABLE bank_account (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  is_primary BOOLEAN NOT NULL DEFAULT false,
  number_sealed TEXT NOT NULL,
  number_hash TEXT NOT NULL,
  account_last4 TEXT NOT NULL,
  ifsc TEXT NOT NULL,
  holder_name_sealed TEXT NOT NULL,
  registered_name_sealed TEXT,
  name_match_score INTEGER,
  failure_reason TEXT,
  provider TEXT,
  provider_contact_id TEXT,
  provider_fund_account_id TEXT,
  provider_validation_id TEXT,
  validation_attempt INTEGER NOT NULL DEFAULT 0,
  validation_requested_at TIMESTAMPTZ(3),
  verified_at TIMESTAMPTZ(3),
  deleted_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  primary_wanted BOOLEAN NOT NULL DEFAULT false,
  validation_holder_id UUID,
  validation_lease_until TIMESTAMPTZ(3),
  number_hash_key TEXT,
  CONSTRAINT bank_account_status_check CHECK (status IN ('PENDING', 'VERIFIED', 'FAILED')),
  CONSTRAINT bank_account_last4_check CHECK (length(account_last4) = 4),
  CONSTRAINT bank_account_score_check CHECK (name_match_score BETWEEN 0 AND 100),
  CONSTRAINT bank_account_attempt_check CHECK (validation_attempt >= 0),
  CONSTRAINT bank_account_validation_lease_check
    CHECK ((validation_holder_id IS NULL) = (validation_lease_until IS NULL))
);
CREATE INDEX bank_account_user_id_created_at_id_idx
  ON bank_account (user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX bank_account_provider_provider_validation_id_key
  ON bank_account (provider, provider_validation_id);
CREATE UNIQUE INDEX bank_account_primary_key ON bank_account (user_id)
  WHERE is_primary AND deleted_at IS NULL;
CREATE UNIQUE INDEX bank_account_number_key ON bank_account (user_id, number_hash, ifsc)
  WHERE deleted_at IS NULL;
CREATE INDEX bank_account_open_validation_idx ON bank_account (validation_requested_at)
  WHERE status = 'PENDING' AND deleted_at IS NULL;

CREATE TABLE bank_validation (
  bank_account_id UUID NOT NULL REFERENCES bank_account ON DELETE RESTRICT ON UPDATE RESTRICT,
  attempt INTEGER NOT NULL,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  requested_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (bank_account_id, attempt)
);
CREATE INDEX bank_validation_user_id_requested_at_idx
  ON bank_validation (user_id, requested_at DESC);
CREATE INDEX bank_validation_requested_at_idx ON bank_validation (requested_at);

-- ---------------------------------------------------------------- quotes

CREATE TABLE gold_quote (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  unit TEXT NOT NULL,
  requested_amount DECIMAL(20,8) NOT NULL,
  grams DECIMAL(20,8) NOT NULL,
  price_per_gram_paise BIGINT NOT NULL,
  gold_value_paise BIGINT,
  gst_paise BIGINT,
  gst_rate_bps INTEGER,
  total_paise BIGINT,
  rounding_paise BIGINT,
  proceeds_paise BIGINT,
  withheld_paise BIGINT,
  provider TEXT,
  provider_tx_id TEXT,
  provider_rate_id TEXT,
  provider_amount_paise BIGINT,
  provider_price_paise BIGINT,
  lock_started_at TIMESTAMPTZ(3),
  lock_ends_at TIMESTAMPTZ(3),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  consumed_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT gold_quote_kind_check CHECK (kind IN ('BUY', 'SELL')),
  CONSTRAINT gold_quote_status_check CHECK (status IN ('ACTIVE', 'CONSUMED', 'EXPIRED')),
  CONSTRAINT gold_quote_unit_check CHECK (unit IN ('INR', 'GRAMS')),
  CONSTRAINT gold_quote_amounts_check
    CHECK (requested_amount > 0 AND grams > 0 AND price_per_gram_paise > 0),
  CONSTRAINT gold_quote_buy_check CHECK (
    kind <> 'BUY'
    OR (gold_value_paise > 0 AND gst_paise >= 0 AND gst_rate_bps >= 0 AND total_paise > 0
        AND rounding_paise IS NOT NULL AND gold_value_paise + gst_paise = total_paise
        AND proceeds_paise IS NULL AND provider IS NOT NULL AND provider_tx_id IS NOT NULL
        AND lock_started_at IS NOT NULL AND lock_ends_at IS NOT NULL)
       IS TRUE),
  CONSTRAINT gold_quote_sell_check CHECK (
    kind <> 'SELL'
    OR (proceeds_paise > 0 AND withheld_paise >= 0 AND total_paise IS NULL AND provider IS NOT NULL
        AND provider_rate_id IS NOT NULL AND provider_price_paise > 0) IS TRUE),
  CONSTRAINT gold_quote_consumed_check CHECK ((status = 'CONSUMED') = (consumed_at IS NOT NULL))
);
CREATE INDEX gold_quote_user_id_created_at_id_idx ON gold_quote (user_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX gold_quote_provider_provider_tx_id_key ON gold_quote (provider, provider_tx_id);
CREATE INDEX gold_quote_active_expiry_idx ON gold_quote (expires_at) WHERE status = 'ACTIVE';
CREATE INDEX gold_quote_active_sell_idx ON gold_quote (user_id, created_at DESC, id DESC)
  WHERE status = 'ACTIVE' AND kind = 'SELL';
-- Unused quotes are purged. The foreign keys of orders, payment orders and provider operations keep
-- a quote that they refer to.
CREATE INDEX gold_quote_purge_idx ON gold_quote (expires_at) WHERE status = 'EXPIRED';

-- ---------------------------------------------------------------- plans

CREATE TABLE sip_plan (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  amount_paise BIGINT NOT NULL,
  frequency TEXT NOT NULL,
  duration_installments INTEGER NOT NULL,
  start_date DATE NOT NULL,
  mandate_token_sealed TEXT,
  mandate_gateway TEXT,
  installments_raised INTEGER NOT NULL DEFAULT 0,
  next_due_at TIMESTAMPTZ(3),
  noticed_installment_no INTEGER,
  noticed_at TIMESTAMPTZ(3),
  cancelled_at TIMESTAMPTZ(3),
  completed_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  holder_id UUID,
  lease_until TIMESTAMPTZ(3),
  missed_until TIMESTAMPTZ(3),
  noticed_debit_at TIMESTAMPTZ(3),
  mandate_ends_on DATE,
  mandate_max_paise BIGINT,
  passed_over INTEGER NOT NULL DEFAULT 0,
  paused_at TIMESTAMPTZ(3),
  CONSTRAINT sip_plan_amount_check CHECK (amount_paise >= 1000),
  CONSTRAINT sip_plan_frequency_check CHECK (frequency IN ('DAILY', 'WEEKLY', 'MONTHLY')),
  CONSTRAINT sip_plan_duration_check CHECK (duration_installments BETWEEN 1 AND 240),
  CONSTRAINT sip_plan_raised_check CHECK (installments_raised BETWEEN 0 AND duration_installments),
  CONSTRAINT sip_plan_cancelled_check CHECK (status <> 'CANCELLED' OR cancelled_at IS NOT NULL),
  CONSTRAINT sip_plan_completed_check CHECK (status <> 'COMPLETED' OR completed_at IS NOT NULL),
  CONSTRAINT sip_plan_mandate_check
    CHECK ((mandate_token_sealed IS NULL) = (mandate_gateway IS NULL)),
  CONSTRAINT sip_plan_status_check CHECK (status IN ('ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED')),
  CONSTRAINT sip_plan_paused_check
    CHECK (status <> 'PAUSED' OR (paused_at IS NOT NULL AND next_due_at IS NOT NULL)),
  CONSTRAINT sip_plan_passed_over_check CHECK (passed_over BETWEEN 0 AND 100000),
  CONSTRAINT sip_plan_mandate_bounds_check CHECK (
    (mandate_max_paise IS NULL AND mandate_ends_on IS NULL)
    OR (mandate_token_sealed IS NOT NULL
      AND (mandate_max_paise IS NULL OR amount_paise <= mandate_max_paise)))
);
CREATE INDEX sip_plan_user_id_created_at_id_idx ON sip_plan (user_id, created_at DESC, id DESC);
CREATE INDEX sip_plan_due_idx ON sip_plan (next_due_at) WHERE status = 'ACTIVE';
-- It holds the plans whose next debit was not announced yet. Without it every pass would read all
-- plans whose next installment is less than a day away.
CREATE INDEX sip_plan_unannounced_idx ON sip_plan (next_due_at)
  WHERE status = 'ACTIVE' AND mandate_token_sealed IS NOT NULL
    AND noticed_installment_no IS DISTINCT FROM installments_raised + 1;
-- It holds the plans that only wait for their last installments to end.
CREATE INDEX sip_plan_fully_raised_idx ON sip_plan (updated_at)
  WHERE status = 'ACTIVE' AND installments_raised = duration_installments;
CREATE INDEX sip_plan_created_at_id_idx ON sip_plan (created_at DESC, id DESC);
CREATE INDEX sip_plan_status_created_at_id_idx ON sip_plan (status, created_at DESC, id DESC);

-- A build that does not know of dates that a plan passes over would take one of them for the next
-- installment, and ask for money on a day that the customer has skipped.
CREATE FUNCTION refuse_passed_date() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'plan % would fall due on a date that it has passed over', NEW.id
    USING ERRCODE = 'check_violation', CONSTRAINT = 'sip_plan_next_due_check';
END $$;
CREATE TRIGGER sip_plan_next_due BEFORE UPDATE OF next_due_at ON sip_plan
  FOR EACH ROW WHEN (NEW.installments_raised > OLD.installments_raised
    AND NEW.next_due_at <= OLD.next_due_at)
  EXECUTE FUNCTION refuse_passed_date();

-- ---------------------------------------------------------------- orders

CREATE TABLE gold_order (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  quote_id UUID REFERENCES gold_quote ON DELETE RESTRICT ON UPDATE RESTRICT,
  unit TEXT NOT NULL,
  amount_paise BIGINT NOT NULL,
  grams DECIMAL(20,8),
  price_per_gram_paise BIGINT,
  gold_value_paise BIGINT,
  gst_paise BIGINT,
  gst_rate_bps INTEGER,
  rounding_paise BIGINT,
  proceeds_paise BIGINT,
  withheld_paise BIGINT,
  provider TEXT,
  provider_tx_id TEXT,
  provider_rate_id TEXT,
  provider_amount_paise BIGINT,
  provider_invoice_id TEXT,
  price_difference_paise BIGINT,
  lock_started_at TIMESTAMPTZ(3),
  lock_ends_at TIMESTAMPTZ(3),
  expires_at TIMESTAMPTZ(3),
  paid_at TIMESTAMPTZ(3),
  allocation_attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at TIMESTAMPTZ(3),
  allocated_at TIMESTAMPTZ(3),
  manual_review_code TEXT,
  manual_review_reason TEXT,
  failure_code TEXT,
  refund_reference TEXT,
  bank_account_id UUID REFERENCES bank_account ON DELETE RESTRICT ON UPDATE RESTRICT,
  sip_plan_id UUID REFERENCES sip_plan ON DELETE RESTRICT ON UPDATE RESTRICT,
  installment_no INTEGER,
  due_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  recovered_at TIMESTAMPTZ(3),
  swept_at TIMESTAMPTZ(3),
  confirmed_at TIMESTAMPTZ(3),
  CONSTRAINT gold_order_status_check CHECK (
    (type IN ('BUY', 'SIP_INSTALLMENT')
      AND status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW', 'FAILED'))
    OR (type = 'SELL'
      AND status IN ('PENDING', 'VERIFIED', 'CONFIRMED', 'COMPLETED', 'FAILED'))),
  CONSTRAINT gold_order_unit_check CHECK (unit IN ('INR', 'GRAMS')),
  CONSTRAINT gold_order_amounts_check
    CHECK (amount_paise > 0 AND grams > 0 AND price_per_gram_paise > 0 AND gold_value_paise > 0
      AND gst_paise >= 0 AND gst_rate_bps >= 0 AND proceeds_paise > 0 AND withheld_paise >= 0
      AND provider_amount_paise >= 0 AND allocation_attempts >= 0),
  CONSTRAINT gold_order_total_check CHECK (gold_value_paise + gst_paise = amount_paise),
  CONSTRAINT gold_order_quoted_check CHECK (
    type = 'SIP_INSTALLMENT'
    OR (quote_id IS NOT NULL AND grams IS NOT NULL AND price_per_gram_paise IS NOT NULL)),
  CONSTRAINT gold_order_sell_check CHECK (
    type <> 'SELL'
    OR (proceeds_paise IS NOT NULL AND withheld_paise IS NOT NULL AND bank_account_id IS NOT NULL
        AND gold_value_paise IS NULL AND gst_paise IS NULL AND rounding_paise IS NULL)),
  CONSTRAINT gold_order_installment_check CHECK (
    (type = 'SIP_INSTALLMENT')
      = (sip_plan_id IS NOT NULL AND installment_no IS NOT NULL AND due_at IS NOT NULL)),
  CONSTRAINT gold_order_installment_no_check CHECK (installment_no BETWEEN 1 AND 240),
  CONSTRAINT gold_order_allocated_check CHECK (
    status <> 'ALLOCATED'
    OR (allocated_at IS NOT NULL AND grams IS NOT NULL AND gold_value_paise IS NOT NULL
        AND gst_paise IS NOT NULL AND provider_tx_id IS NOT NULL)),
  CONSTRAINT gold_order_review_check
    CHECK (status <> 'MANUAL_REVIEW' OR manual_review_code IS NOT NULL),
  CONSTRAINT gold_order_review_reason_check
    CHECK (manual_review_code IS NULL OR manual_review_reason IS NOT NULL),
  CONSTRAINT gold_order_review_code_check CHECK (manual_review_code IN (
    'AMOUNT_MISMATCH', 'CURRENCY_MISMATCH', 'LATE_CAPTURE', 'PROVIDER_LOCK_EXPIRED',
    'ALLOCATION_EXHAUSTED', 'GRAMS_MISMATCH', 'FAILED_AFTER_PAID', 'SECOND_CAPTURE',
    'SELL_UNKNOWN_OUTCOME', 'SELL_REFUSED_AFTER_VERIFY', 'PAYMENT_REVERSED')),
  CONSTRAINT gold_order_recovered_check CHECK (recovered_at IS NULL OR allocated_at IS NOT NULL),
  CONSTRAINT gold_order_confirmed_check CHECK (confirmed_at IS NULL OR type = 'SELL')
);
CREATE UNIQUE INDEX gold_order_quote_id_key ON gold_order (quote_id);
CREATE INDEX gold_order_user_id_created_at_id_idx ON gold_order (user_id, created_at DESC, id DESC);
CREATE INDEX gold_order_created_at_id_idx ON gold_order (created_at DESC, id DESC);
CREATE INDEX gold_order_status_created_at_id_idx ON gold_order (status, created_at DESC, id DESC);
CREATE INDEX gold_order_bank_account_id_idx ON gold_order (bank_account_id);
CREATE UNIQUE INDEX gold_order_provider_provider_tx_id_key ON gold_order (provider, provider_tx_id);
CREATE UNIQUE INDEX gold_order_sip_plan_id_installment_no_key
  ON gold_order (sip_plan_id, installment_no);
CREATE INDEX gold_order_due_allocation_idx ON gold_order (next_attempt_at)
  WHERE status IN ('PAID', 'RETRY_PENDING');
CREATE INDEX gold_order_unpaid_expiry_idx ON gold_order (expires_at)
  WHERE status = 'PENDING' AND type <> 'SELL';
CREATE INDEX gold_order_open_sell_idx ON gold_order (updated_at)
  WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED');
CREATE INDEX gold_order_open_review_idx ON gold_order (updated_at)
  WHERE manual_review_code IS NOT NULL AND status IN ('MANUAL_REVIEW', 'VERIFIED');
-- What was sold on a day is summed from this index alone.
CREATE INDEX gold_order_allocated_idx ON gold_order (allocated_at) INCLUDE (amount_paise)
  WHERE allocated_at IS NOT NULL AND recovered_at IS NULL;
-- Each register of the accounting API has an index in its own order. Rows without gold or money are
-- ordered by their creation.
CREATE INDEX gold_order_buy_register_idx
  ON gold_order ((coalesce(allocated_at, created_at)) DESC, id DESC)
  WHERE type <> 'SELL';
CREATE INDEX gold_order_sell_register_idx
  ON gold_order ((coalesce(confirmed_at, created_at)) DESC, id DESC)
  WHERE type = 'SELL';
-- It holds the few orders whose gold was bought and then taken back.
CREATE INDEX gold_order_taken_back_idx ON gold_order (id)
  WHERE status = 'FAILED' AND allocated_at IS NOT NULL;

CREATE TABLE gold_order_event (
  id UUID PRIMARY KEY,
  seq BIGSERIAL NOT NULL,
  order_id UUID NOT NULL REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  from_status TEXT,
  to_status TEXT NOT NULL,
  cause TEXT NOT NULL,
  actor TEXT NOT NULL,
  request_id TEXT,
  detail JSONB,
  at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX gold_order_event_seq_key ON gold_order_event (seq);
CREATE INDEX gold_order_event_order_id_seq_idx ON gold_order_event (order_id, seq);
-- Reports of a window of time read what happened since its start.
CREATE INDEX gold_order_event_at_idx ON gold_order_event (at);

-- ---------------------------------------------------------------- provider-operations

CREATE TABLE provider_operation (
  id UUID PRIMARY KEY,
  order_id UUID REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  quote_id UUID REFERENCES gold_quote ON DELETE RESTRICT ON UPDATE RESTRICT,
  user_id UUID REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  provider TEXT NOT NULL,
  operation TEXT NOT NULL,
  status TEXT NOT NULL,
  provider_tx_id TEXT,
  grams DECIMAL(20,8),
  amount_paise BIGINT,
  verified_at TIMESTAMPTZ(3),
  started_at TIMESTAMPTZ(3) NOT NULL,
  settled_at TIMESTAMPTZ(3),
  last_asked_at TIMESTAMPTZ(3),
  attempts INTEGER NOT NULL DEFAULT 0,
  detail JSONB,
  holder_id UUID,
  lease_until TIMESTAMPTZ(3),
  tried_at TIMESTAMPTZ(3),
  CONSTRAINT provider_operation_operation_check CHECK (
    operation IN ('buy-verify', 'buy-confirm', 'sell-verify', 'sell-confirm', 'register')),
  CONSTRAINT provider_operation_status_check
    CHECK (status IN ('INTENDED', 'DONE', 'REFUSED', 'UNKNOWN')),
  CONSTRAINT provider_operation_settled_check
    CHECK (status NOT IN ('DONE', 'REFUSED') OR settled_at IS NOT NULL),
  CONSTRAINT provider_operation_confirm_check CHECK (
    operation NOT IN ('buy-confirm', 'sell-confirm')
    OR (order_id IS NOT NULL AND provider_tx_id IS NOT NULL AND verified_at IS NOT NULL)),
  CONSTRAINT provider_operation_amounts_check
    CHECK (grams > 0 AND amount_paise >= 0 AND attempts >= 0),
  CONSTRAINT provider_operation_lease_check CHECK ((holder_id IS NULL) = (lease_until IS NULL))
);
CREATE INDEX provider_operation_order_id_started_at_idx
  ON provider_operation (order_id, started_at);
CREATE INDEX provider_operation_quote_id_idx ON provider_operation (quote_id);
CREATE INDEX provider_operation_provider_provider_tx_id_idx
  ON provider_operation (provider, provider_tx_id);
CREATE INDEX provider_operation_user_id_idx ON provider_operation (user_id);
-- Gold is never bought or sold twice. An order has at most one undecided confirm and at most one
-- that was done.
CREATE UNIQUE INDEX provider_operation_undecided_confirm_key ON provider_operation (order_id)
  WHERE operation IN ('buy-confirm', 'sell-confirm') AND status IN ('INTENDED', 'UNKNOWN');
CREATE UNIQUE INDEX provider_operation_done_confirm_key ON provider_operation (order_id)
  WHERE operation IN ('buy-confirm', 'sell-confirm') AND status = 'DONE';
CREATE INDEX provider_operation_undecided_idx ON provider_operation (started_at)
  WHERE status IN ('INTENDED', 'UNKNOWN');
-- Accounting reads what the provider settled on a day.
CREATE INDEX provider_operation_settled_idx ON provider_operation (settled_at)
  WHERE status = 'DONE' AND operation IN ('buy-confirm', 'sell-confirm');

-- ---------------------------------------------------------------- payments

CREATE TABLE payment_reversal (
  id UUID PRIMARY KEY,
  gateway TEXT NOT NULL,
  gateway_payment_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  reference TEXT,
  amount_paise BIGINT NOT NULL,
  learned_at TIMESTAMPTZ(3) NOT NULL,
  gateway_at TIMESTAMPTZ(3) NOT NULL,
  resolved_at TIMESTAMPTZ(3),
  CONSTRAINT payment_reversal_kind_check CHECK (kind IN ('REFUND', 'DISPUTE')),
  CONSTRAINT payment_reversal_amount_check CHECK (amount_paise > 0)
);
CREATE UNIQUE INDEX payment_reversal_gateway_gateway_payment_id_kind_reference_key
  ON payment_reversal (gateway, gateway_payment_id, kind, reference);
CREATE INDEX payment_reversal_open_idx ON payment_reversal (learned_at) WHERE resolved_at IS NULL;

CREATE TABLE gateway_setting (
  code TEXT PRIMARY KEY,
  enabled BOOLEAN NOT NULL DEFAULT true,
  mode TEXT NOT NULL DEFAULT 'test',
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT gateway_setting_mode_check CHECK (mode IN ('test', 'live'))
);

CREATE TABLE gateway_routing (
  id INTEGER PRIMARY KEY,
  default_code TEXT,
  priority TEXT[],
  routes JSONB NOT NULL DEFAULT '{}',
  updated_at TIMESTAMPTZ(3) NOT NULL,
  updated_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT gateway_routing_single_check CHECK (id = 1)
);

CREATE TABLE payment_order (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  order_id UUID NOT NULL REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  quote_id UUID REFERENCES gold_quote ON DELETE RESTRICT ON UPDATE RESTRICT,
  gateway TEXT NOT NULL,
  gateway_order_id TEXT,
  amount_paise BIGINT NOT NULL,
  currency TEXT NOT NULL DEFAULT 'INR',
  status TEXT NOT NULL,
  method TEXT,
  terms_accepted_version TEXT,
  terms_accepted_at TIMESTAMPTZ(3),
  captured_payment_id UUID,
  paid_at TIMESTAMPTZ(3),
  expires_at TIMESTAMPTZ(3),
  debit_due_at TIMESTAMPTZ(3),
  debit_status TEXT,
  debit_requested_at TIMESTAMPTZ(3),
  gateway_debit_id TEXT,
  last_asked_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  holder_id UUID,
  lease_until TIMESTAMPTZ(3),
  checkout_session TEXT,
  mandate_token_sealed TEXT,
  debit_sent_at TIMESTAMPTZ(3),
  checkout_opened_at TIMESTAMPTZ(3),
  traceparent TEXT,
  CONSTRAINT payment_order_status_check CHECK (status IN (
    'CREATED', 'GATEWAY_ORDER_CREATED', 'PAID', 'FAILED', 'MANUAL_REVIEW', 'EXPIRED', 'REFUNDED')),
  CONSTRAINT payment_order_amount_check CHECK (amount_paise > 0),
  CONSTRAINT payment_order_currency_check CHECK (currency = 'INR'),
  CONSTRAINT payment_order_gateway_order_check
    CHECK (status <> 'GATEWAY_ORDER_CREATED' OR gateway_order_id IS NOT NULL),
  CONSTRAINT payment_order_paid_check
    CHECK (status <> 'PAID' OR (paid_at IS NOT NULL AND captured_payment_id IS NOT NULL)),
  CONSTRAINT payment_order_terms_check
    CHECK ((terms_accepted_at IS NULL) = (terms_accepted_version IS NULL)),
  CONSTRAINT payment_order_debit_check
    CHECK (debit_status IN ('SCHEDULED', 'INTENDED', 'ACCEPTED', 'REFUSED', 'UNKNOWN')),
  CONSTRAINT payment_order_lease_check CHECK ((holder_id IS NULL) = (lease_until IS NULL)),
  CONSTRAINT payment_order_debit_whole_check CHECK (
    (debit_due_at IS NULL) = (debit_status IS NULL)
    AND (debit_due_at IS NULL OR mandate_token_sealed IS NOT NULL))
);
CREATE UNIQUE INDEX payment_order_captured_payment_id_key ON payment_order (captured_payment_id);
CREATE INDEX payment_order_user_id_created_at_id_idx
  ON payment_order (user_id, created_at DESC, id DESC);
CREATE INDEX payment_order_created_at_id_idx ON payment_order (created_at DESC, id DESC);
CREATE INDEX payment_order_order_id_created_at_idx ON payment_order (order_id, created_at DESC);
CREATE INDEX payment_order_quote_id_idx ON payment_order (quote_id);
CREATE UNIQUE INDEX payment_order_gateway_gateway_order_id_key
  ON payment_order (gateway, gateway_order_id);
-- A second capture may pay a closed payment order again, but only one of an order is ever open for
-- payment.
CREATE UNIQUE INDEX payment_order_open_key ON payment_order (order_id)
  WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED');
CREATE INDEX payment_order_unpaid_expiry_idx ON payment_order (expires_at)
  WHERE status IN ('CREATED', 'GATEWAY_ORDER_CREATED');
CREATE INDEX payment_order_debit_due_idx ON payment_order (debit_due_at)
  WHERE debit_status IN ('SCHEDULED', 'INTENDED', 'UNKNOWN');
-- A payment order that was closed unpaid a short time ago may still be paid. The gateways are
-- polled for such orders, and reconciliation reads them, by the time of their closing.
CREATE INDEX payment_order_given_up_idx ON payment_order (updated_at)
  WHERE status IN ('FAILED', 'EXPIRED');
-- An installment counts towards the daily limit on the day on which its checkout was opened.
CREATE INDEX payment_order_checkouts_idx ON payment_order (user_id, checkout_opened_at)
  WHERE checkout_opened_at IS NOT NULL;

CREATE TABLE gateway_attempt (
  id UUID PRIMARY KEY,
  payment_order_id UUID NOT NULL REFERENCES payment_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  gateway TEXT NOT NULL,
  status TEXT NOT NULL,
  gateway_order_id TEXT,
  detail TEXT,
  started_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  last_asked_at TIMESTAMPTZ(3),
  turned_down BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT gateway_attempt_status_check
    CHECK (status IN ('INTENDED', 'DONE', 'REFUSED', 'UNKNOWN')),
  CONSTRAINT gateway_attempt_ended_check
    CHECK ((status IN ('DONE', 'REFUSED')) = (ended_at IS NOT NULL)),
  CONSTRAINT gateway_attempt_turned_down_check CHECK (status = 'REFUSED' OR NOT turned_down)
);
CREATE INDEX gateway_attempt_payment_order_id_started_at_idx
  ON gateway_attempt (payment_order_id, started_at);
CREATE INDEX gateway_attempt_gateway_gateway_order_id_idx
  ON gateway_attempt (gateway, gateway_order_id);
CREATE INDEX gateway_attempt_undecided_idx ON gateway_attempt (started_at)
  WHERE status IN ('INTENDED', 'UNKNOWN');

CREATE TABLE gateway_payment (
  id UUID PRIMARY KEY,
  gateway TEXT NOT NULL,
  gateway_payment_id TEXT NOT NULL,
  gateway_order_id TEXT,
  payment_order_id UUID REFERENCES payment_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  standing TEXT NOT NULL,
  amount_paise BIGINT NOT NULL,
  currency TEXT NOT NULL,
  method TEXT,
  refund_reference TEXT,
  refunded_at TIMESTAMPTZ(3),
  learned_at TIMESTAMPTZ(3) NOT NULL,
  gateway_at TIMESTAMPTZ(3),
  updated_at TIMESTAMPTZ(3) NOT NULL,
  reversals_asked_at TIMESTAMPTZ(3),
  failed_after_capture_at TIMESTAMPTZ(3),
  failure_resolved_at TIMESTAMPTZ(3),
  next_reversal_poll_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT gateway_payment_status_check CHECK (status IN ('CAPTURED', 'FAILED', 'REFUNDED')),
  CONSTRAINT gateway_payment_standing_check CHECK (standing IN (
    'NONE', 'APPLIED', 'SECOND', 'MISMATCH', 'LATE', 'UNMATCHED', 'REFUNDED')),
  CONSTRAINT gateway_payment_amount_check CHECK (amount_paise >= 0),
  CONSTRAINT gateway_payment_failure_check CHECK (
    (failed_after_capture_at IS NULL OR status <> 'FAILED')
    AND (failure_resolved_at IS NULL OR failed_after_capture_at IS NOT NULL))
);
CREATE INDEX gateway_payment_payment_order_id_idx ON gateway_payment (payment_order_id);
CREATE INDEX gateway_payment_gateway_gateway_order_id_idx
  ON gateway_payment (gateway, gateway_order_id);
CREATE INDEX gateway_payment_learned_at_idx ON gateway_payment (learned_at);
CREATE UNIQUE INDEX gateway_payment_gateway_gateway_payment_id_key
  ON gateway_payment (gateway, gateway_payment_id);
-- One payment buys the gold of an order.
CREATE UNIQUE INDEX gateway_payment_applied_key ON gateway_payment (payment_order_id)
  WHERE standing = 'APPLIED';
CREATE INDEX gateway_payment_next_reversal_poll_idx ON gateway_payment (next_reversal_poll_at)
  WHERE next_reversal_poll_at IS NOT NULL AND status IN ('CAPTURED', 'REFUNDED')
    AND payment_order_id IS NOT NULL;
-- It holds captured money that pays for nothing yet.
CREATE INDEX gateway_payment_open_idx ON gateway_payment (learned_at, id)
  WHERE status = 'CAPTURED' AND standing IN ('SECOND', 'MISMATCH', 'LATE', 'UNMATCHED');
-- The two tables refer to each other.
ALTER TABLE payment_order ADD FOREIGN KEY (captured_payment_id) REFERENCES gateway_payment
  ON DELETE RESTRICT ON UPDATE RESTRICT;

-- ---------------------------------------------------------------- payouts

CREATE TABLE payout (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  order_id UUID NOT NULL REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  bank_account_id UUID NOT NULL REFERENCES bank_account ON DELETE RESTRICT ON UPDATE RESTRICT,
  amount_paise BIGINT NOT NULL,
  status TEXT NOT NULL,
  mode TEXT NOT NULL DEFAULT 'IMPS',
  attempt INTEGER NOT NULL DEFAULT 0,
  provider TEXT,
  provider_payout_id TEXT,
  utr TEXT,
  failure_reason TEXT,
  approval_required BOOLEAN NOT NULL DEFAULT false,
  approved_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  approved_at TIMESTAMPTZ(3),
  dispatched_at TIMESTAMPTZ(3),
  paid_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  hold TEXT,
  CONSTRAINT payout_status_check
    CHECK (status IN ('PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED')),
  CONSTRAINT payout_amount_check CHECK (amount_paise > 0),
  CONSTRAINT payout_attempt_no_check CHECK (attempt >= 0),
  CONSTRAINT payout_paid_check CHECK (status <> 'PAID' OR paid_at IS NOT NULL),
  CONSTRAINT payout_approval_check CHECK ((approved_by IS NULL) OR (approved_at IS NOT NULL)),
  CONSTRAINT payout_hold_check CHECK (
    hold IS NULL OR (
      hold IN ('NEW_ACCOUNT', 'NAME_MATCH', 'DAILY_SUM', 'DAILY_COUNT') AND approval_required))
);
CREATE UNIQUE INDEX payout_order_id_key ON payout (order_id);
CREATE INDEX payout_user_id_created_at_id_idx ON payout (user_id, created_at DESC, id DESC);
CREATE INDEX payout_created_at_id_idx ON payout (created_at DESC, id DESC);
CREATE INDEX payout_status_created_at_id_idx ON payout (status, created_at DESC, id DESC);
CREATE INDEX payout_bank_account_id_idx ON payout (bank_account_id);
CREATE INDEX payout_open_idx ON payout (updated_at) WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX payout_register_idx ON payout ((coalesce(paid_at, created_at)) DESC, id DESC);
-- Accounting staff search payouts by the bank's reference.
CREATE INDEX payout_utr_idx ON payout (utr) WHERE utr IS NOT NULL;

CREATE TABLE payout_attempt (
  id UUID PRIMARY KEY,
  payout_id UUID NOT NULL REFERENCES payout ON DELETE RESTRICT ON UPDATE RESTRICT,
  attempt_no INTEGER NOT NULL,
  bank_account_id UUID NOT NULL REFERENCES bank_account ON DELETE RESTRICT ON UPDATE RESTRICT,
  idempotency_key TEXT NOT NULL,
  provider TEXT NOT NULL,
  provider_payout_id TEXT,
  status TEXT NOT NULL,
  utr TEXT,
  failure_reason TEXT,
  started_at TIMESTAMPTZ(3) NOT NULL,
  last_asked_at TIMESTAMPTZ(3),
  settled_at TIMESTAMPTZ(3),
  holder_id UUID,
  lease_until TIMESTAMPTZ(3),
  contradicted_at TIMESTAMPTZ(3),
  sent_at TIMESTAMPTZ(3),
  CONSTRAINT payout_attempt_status_check CHECK (status IN (
    'INTENDED', 'PROCESSING', 'UNKNOWN', 'REFUSED', 'PAID', 'FAILED', 'REVERSED')),
  CONSTRAINT payout_attempt_number_check CHECK (attempt_no >= 1),
  CONSTRAINT payout_attempt_key_check
    CHECK (idempotency_key = replace(payout_id::text, '-', '') || '-' || attempt_no::text),
  CONSTRAINT payout_attempt_lease_check CHECK ((holder_id IS NULL) = (lease_until IS NULL))
);
CREATE UNIQUE INDEX payout_attempt_idempotency_key_key ON payout_attempt (idempotency_key);
CREATE UNIQUE INDEX payout_attempt_payout_id_attempt_no_key
  ON payout_attempt (payout_id, attempt_no);
CREATE UNIQUE INDEX payout_attempt_provider_provider_payout_id_key
  ON payout_attempt (provider, provider_payout_id);
CREATE INDEX payout_attempt_bank_account_id_idx ON payout_attempt (bank_account_id);
-- A further attempt starts only when the earlier one certainly did not pay.
CREATE UNIQUE INDEX payout_attempt_live_key ON payout_attempt (payout_id)
  WHERE status IN ('INTENDED', 'PROCESSING', 'UNKNOWN', 'PAID');
CREATE INDEX payout_attempt_undecided_idx ON payout_attempt (started_at)
  WHERE status IN ('INTENDED', 'PROCESSING', 'UNKNOWN');
CREATE INDEX payout_attempt_started_at_idx ON payout_attempt (started_at);

-- ---------------------------------------------------------------- holdings

CREATE TABLE holding (
  user_id UUID PRIMARY KEY REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  balance DECIMAL(20,8) NOT NULL DEFAULT 0,
  reserved DECIMAL(20,8) NOT NULL DEFAULT 0,
  invested_paise BIGINT NOT NULL DEFAULT 0,
  version BIGINT NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT holding_balance_check CHECK (balance >= 0),
  CONSTRAINT holding_reserved_check CHECK (reserved >= 0 AND reserved <= balance),
  CONSTRAINT holding_invested_check CHECK (invested_paise >= 0)
);

CREATE TABLE holding_movement (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES holding ON DELETE RESTRICT ON UPDATE RESTRICT,
  order_id UUID REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  kind TEXT NOT NULL,
  grams DECIMAL(20,8) NOT NULL,
  invested_paise BIGINT NOT NULL,
  balance_after DECIMAL(20,8) NOT NULL,
  invested_after_paise BIGINT NOT NULL,
  version BIGINT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT holding_movement_order_check CHECK ((kind = 'FORFEITED') = (order_id IS NULL)),
  CONSTRAINT holding_movement_after_check CHECK (balance_after >= 0 AND invested_after_paise >= 0),
  CONSTRAINT holding_movement_kind_check CHECK (
    (kind = 'CREDIT' AND grams > 0 AND invested_paise >= 0)
    OR (kind IN ('DEBIT', 'FORFEITED', 'RECOVERED') AND grams < 0 AND invested_paise <= 0))
);
CREATE INDEX holding_movement_at_idx ON holding_movement (at);
CREATE UNIQUE INDEX holding_movement_order_id_kind_key ON holding_movement (order_id, kind);
CREATE UNIQUE INDEX holding_movement_user_id_version_key ON holding_movement (user_id, version);

CREATE TABLE holding_reservation (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES holding ON DELETE RESTRICT ON UPDATE RESTRICT,
  order_id UUID NOT NULL REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  wanted DECIMAL(20,8) NOT NULL,
  grams DECIMAL(20,8) NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT holding_reservation_grams_check CHECK (wanted > 0 AND grams >= 0 AND grams <= wanted)
);
CREATE INDEX holding_reservation_user_id_idx ON holding_reservation (user_id);
CREATE INDEX holding_reservation_order_id_idx ON holding_reservation (order_id);
-- An order has at most one open reservation, that of its review.
CREATE UNIQUE INDEX holding_reservation_open_key ON holding_reservation (order_id)
  WHERE ended_at IS NULL;

-- A sale is confirmed at the moment of its movement, whichever build writes it. The order was
-- locked before the holding.
CREATE FUNCTION set_sale_confirmed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gold_order SET confirmed_at = NEW.at WHERE id = NEW.order_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER holding_movement_confirms_sale AFTER INSERT ON holding_movement
  FOR EACH ROW WHEN (NEW.kind = 'DEBIT') EXECUTE FUNCTION set_sale_confirmed();

-- ---------------------------------------------------------------- order-timeline

CREATE TABLE order_call_try (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  order_id UUID NOT NULL,
  subject_id UUID NOT NULL,
  operation TEXT NOT NULL,
  collaborator TEXT NOT NULL,
  try_no INTEGER NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  begun_at TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
  duration_ms BIGINT,
  outcome TEXT,
  reason TEXT,
  CONSTRAINT order_call_try_ended_check CHECK ((duration_ms IS NULL) OR outcome IS NOT NULL)
);
CREATE UNIQUE INDEX order_call_try_subject_id_operation_try_no_key
  ON order_call_try (subject_id, operation, try_no);
CREATE INDEX order_call_try_order_id_idx ON order_call_try (order_id);

CREATE TABLE order_part_event (
  id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  seq BIGSERIAL NOT NULL,
  order_id UUID NOT NULL,
  part TEXT NOT NULL,
  part_id UUID NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT order_part_event_part_check CHECK (part IN ('payment_order', 'payout'))
);
CREATE INDEX order_part_event_order_id_idx ON order_part_event (order_id);
CREATE INDEX order_part_event_part_id_seq_idx ON order_part_event (part_id, seq);

-- Triggers write the trail of an order, so that no code path can leave a step out: every try of a
-- call to a collaborator, and every transition of its payment orders and payout. A try lasts from
-- the moment at which a worker takes the row to the moment at which it releases it. Its duration is
-- real time, its start is by the service's own clock.

-- Begins the next try of a call. A try that is still open lost its worker.
CREATE FUNCTION begin_order_try(
  of_order uuid, subject uuid, what text, whom text, started timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.order_call_try SET outcome = 'LOST'
  WHERE subject_id = subject AND operation = what AND outcome IS NULL;
  INSERT INTO public.order_call_try
    (order_id, subject_id, operation, collaborator, try_no, started_at)
  SELECT of_order, subject, what, whom, coalesce(max(try_no), 0) + 1, started
  FROM public.order_call_try WHERE subject_id = subject AND operation = what;
END $$;

-- Ends the try that is under way, if there is one.
CREATE FUNCTION end_order_try(subject uuid, what text, came_to text, why text) RETURNS void
LANGUAGE sql AS $$
  UPDATE public.order_call_try SET outcome = came_to, reason = why,
    duration_ms = greatest(0, round(extract(epoch FROM clock_timestamp() - begun_at) * 1000))
  WHERE subject_id = subject AND operation = what AND outcome IS NULL;
$$;

CREATE FUNCTION note_provider_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.order_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF NEW.holder_id IS NOT NULL
    AND (TG_OP = 'INSERT' OR NEW.holder_id IS DISTINCT FROM OLD.holder_id) THEN
    PERFORM public.begin_order_try(NEW.order_id, NEW.id, NEW.operation, NEW.provider,
      coalesce(NEW.tried_at, NEW.started_at));
  ELSIF TG_OP = 'UPDATE' AND NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL THEN
    PERFORM public.end_order_try(NEW.id, NEW.operation, NEW.status, NEW.detail ->> 'reason');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER provider_operation_try AFTER INSERT OR UPDATE ON provider_operation
  FOR EACH ROW EXECUTE FUNCTION note_provider_try();

CREATE FUNCTION note_payout_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.holder_id IS NOT NULL AND NEW.holder_id IS DISTINCT FROM OLD.holder_id THEN
    PERFORM public.begin_order_try(
      (SELECT p.order_id FROM public.payout p WHERE p.id = NEW.payout_id), NEW.id,
      'payout', NEW.provider, coalesce(NEW.last_asked_at, NEW.started_at));
  ELSIF NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL THEN
    -- One that was not sent this time has the send of before, or none.
    PERFORM public.end_order_try(NEW.id, 'payout',
      CASE WHEN NEW.status = 'INTENDED'
          OR (NEW.status = 'UNKNOWN' AND NEW.sent_at IS DISTINCT FROM OLD.sent_at)
        THEN 'NOT_SENT' ELSE NEW.status END,
      NEW.failure_reason);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payout_attempt_try AFTER UPDATE ON payout_attempt
  FOR EACH ROW EXECUTE FUNCTION note_payout_try();

CREATE FUNCTION note_debit_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A request goes out while its sender keeps the row: its outcome comes with another update.
  IF NEW.holder_id IS NOT NULL AND NEW.holder_id IS NOT DISTINCT FROM OLD.holder_id
    AND NEW.debit_status IS NOT DISTINCT FROM OLD.debit_status
    AND NEW.updated_at = OLD.updated_at AND NEW.debit_sent_at IS NOT NULL
    AND NEW.lease_until IS DISTINCT FROM OLD.lease_until THEN
    PERFORM public.begin_order_try(NEW.order_id, NEW.id, 'debit', NEW.gateway, NEW.debit_sent_at);
  ELSIF NEW.debit_status IS DISTINCT FROM OLD.debit_status
    OR NEW.debit_sent_at IS DISTINCT FROM OLD.debit_sent_at
    OR (NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL) THEN
    PERFORM public.end_order_try(NEW.id, 'debit', NEW.debit_status, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_order_debit_try AFTER UPDATE ON payment_order
  FOR EACH ROW WHEN (NEW.debit_status IS NOT NULL) EXECUTE FUNCTION note_debit_try();

CREATE FUNCTION note_part_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.order_part_event (order_id, part, part_id, from_status, to_status, at)
  VALUES (NEW.order_id, TG_TABLE_NAME, NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END,
    NEW.status, CASE WHEN TG_OP = 'UPDATE' THEN NEW.updated_at ELSE NEW.created_at END);
  RETURN NULL;
END $$;
CREATE TRIGGER payment_order_made AFTER INSERT ON payment_order
  FOR EACH ROW EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payment_order_moved AFTER UPDATE ON payment_order
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payout_made AFTER INSERT ON payout
  FOR EACH ROW EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payout_moved AFTER UPDATE ON payout
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION note_part_event();

-- ---------------------------------------------------------------- referrals

CREATE TABLE referral (
  id UUID PRIMARY KEY,
  referrer_user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  referee_user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  code TEXT NOT NULL,
  status TEXT NOT NULL,
  applied_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT referral_status_check CHECK (status IN ('APPLIED', 'REWARDED')),
  CONSTRAINT referral_own_code_check CHECK (referrer_user_id <> referee_user_id)
);
CREATE UNIQUE INDEX referral_referee_user_id_key ON referral (referee_user_id);
CREATE INDEX referral_referrer_user_id_applied_at_id_idx
  ON referral (referrer_user_id, applied_at DESC, id DESC);

CREATE TABLE referral_reward (
  id UUID PRIMARY KEY,
  referral_id UUID NOT NULL REFERENCES referral ON DELETE RESTRICT ON UPDATE RESTRICT,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  order_id UUID REFERENCES gold_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  amount_paise BIGINT,
  status TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  earned_at TIMESTAMPTZ(3),
  bought_at TIMESTAMPTZ(3),
  reversed_at TIMESTAMPTZ(3),
  approved_at TIMESTAMPTZ(3),
  approved_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  paid_at TIMESTAMPTZ(3),
  paid_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  payment_reference TEXT,
  CONSTRAINT referral_reward_amount_check CHECK (amount_paise >= 0),
  CONSTRAINT referral_reward_bought_check CHECK (bought_at IS NULL OR order_id IS NOT NULL),
  CONSTRAINT referral_reward_reversed_check
    CHECK ((status = 'REVERSED') = (reversed_at IS NOT NULL)),
  CONSTRAINT referral_reward_status_check
    CHECK (status IN ('PENDING', 'EARNED', 'APPROVED', 'PAID', 'REVERSED')),
  CONSTRAINT referral_reward_earned_check CHECK (
    (earned_at IS NULL) = (amount_paise IS NULL)
    AND CASE status
      WHEN 'PENDING' THEN earned_at IS NULL
      WHEN 'REVERSED' THEN order_id IS NOT NULL
      ELSE earned_at IS NOT NULL AND order_id IS NOT NULL END),
  CONSTRAINT referral_reward_approved_check CHECK (
    (approved_at IS NULL) = (approved_by IS NULL)
    AND (status NOT IN ('APPROVED', 'PAID') OR approved_at IS NOT NULL)),
  CONSTRAINT referral_reward_paid_check CHECK (
    (status = 'PAID') = (paid_at IS NOT NULL)
    AND (paid_at IS NULL) = (paid_by IS NULL)
    AND (paid_at IS NULL) = (payment_reference IS NULL))
);
CREATE UNIQUE INDEX referral_reward_referral_id_key ON referral_reward (referral_id);
CREATE UNIQUE INDEX referral_reward_order_id_key ON referral_reward (order_id);
CREATE INDEX referral_reward_user_id_created_at_id_idx
  ON referral_reward (user_id, created_at DESC, id DESC);
CREATE INDEX referral_reward_unsettled_idx ON referral_reward (bought_at)
  WHERE status = 'PENDING' AND bought_at IS NOT NULL;
CREATE INDEX referral_reward_status_created_at_id_idx
  ON referral_reward (status, created_at DESC, id DESC);
CREATE INDEX referral_reward_created_at_id_idx ON referral_reward (created_at DESC, id DESC);

CREATE TABLE former_buyer (
  pan_hash TEXT PRIMARY KEY,
  until TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX former_buyer_until_idx ON former_buyer (until);

-- ---------------------------------------------------------------- catalogue

CREATE TABLE product (
  id UUID PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT,
  category TEXT NOT NULL,
  purity_karat INTEGER NOT NULL,
  weight_grams DECIMAL(20,8) NOT NULL,
  pricing_mode TEXT NOT NULL,
  rate_per_gram_paise BIGINT,
  making_charge_bps INTEGER NOT NULL DEFAULT 0,
  discount_bps INTEGER NOT NULL DEFAULT 0,
  price_paise BIGINT NOT NULL,
  price_computed_at TIMESTAMPTZ(3),
  in_stock BOOLEAN NOT NULL DEFAULT true,
  is_active BOOLEAN NOT NULL DEFAULT true,
  image_key TEXT,
  image_content_type TEXT,
  image_updated_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  search tsvector,
  CONSTRAINT product_pricing_check CHECK (pricing_mode IN ('FIXED', 'DYNAMIC')),
  CONSTRAINT product_karat_check CHECK (purity_karat BETWEEN 1 AND 24),
  CONSTRAINT product_amounts_check CHECK (weight_grams > 0 AND price_paise > 0
    AND rate_per_gram_paise > 0),
  CONSTRAINT product_charges_check
    CHECK (making_charge_bps >= 0 AND discount_bps BETWEEN 0 AND 10000)
);
CREATE INDEX product_created_at_id_idx ON product (created_at DESC, id DESC);
CREATE INDEX product_category_created_at_id_idx ON product (category, created_at DESC, id DESC);
CREATE INDEX product_active_idx ON product (category, created_at DESC, id DESC) WHERE is_active;
CREATE INDEX product_dynamic_idx ON product (price_computed_at)
  WHERE is_active AND pricing_mode = 'DYNAMIC';
CREATE INDEX product_search_idx ON product USING GIN (search);
-- A page of the list is read from one of these two indexes: of all products, or of a category.
CREATE INDEX product_listed_idx ON product (created_at DESC, id DESC) WHERE is_active;
CREATE INDEX product_listed_category_idx ON product (lower(category), created_at DESC, id DESC)
  WHERE is_active;

CREATE TABLE product_image (
  id UUID PRIMARY KEY,
  product_id UUID NOT NULL REFERENCES product ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  widths INTEGER[],
  created_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT product_image_status_check
    CHECK (status IN ('PENDING', 'CURRENT', 'REPLACED', 'REMOVING')),
  CONSTRAINT product_image_ended_check CHECK (status <> 'REPLACED' OR ended_at IS NOT NULL)
);
CREATE INDEX product_image_product_id_idx ON product_image (product_id);
CREATE UNIQUE INDEX product_image_current_key ON product_image (product_id)
  WHERE status = 'CURRENT';
CREATE INDEX product_image_removable_idx ON product_image (created_at) WHERE status <> 'CURRENT';

CREATE TABLE product_word (
  word TEXT PRIMARY KEY,
  variants TEXT[],
  CONSTRAINT product_word_length_check CHECK (length(word) BETWEEN 2 AND 40)
);
CREATE INDEX product_word_word_idx ON product_word USING GIN (word gin_trgm_ops);
CREATE INDEX product_word_variants_idx ON product_word USING GIN (variants);

CREATE TABLE catalogue_version (
  id INTEGER PRIMARY KEY,
  version BIGINT NOT NULL,
  CONSTRAINT catalogue_version_one_check CHECK (id = 1)
);

CREATE TABLE product_stock (
  product_id UUID PRIMARY KEY REFERENCES product ON DELETE RESTRICT ON UPDATE RESTRICT,
  count INTEGER NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT product_stock_count_check CHECK (count >= 0)
);

-- Two words that are one letter apart (added, left out, replaced, or two exchanged) have a variant
-- in common, which an index on the variants finds. Trigrams find few of them in a short word.
CREATE FUNCTION word_variants(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(DISTINCT variant) FROM (
    SELECT word AS variant
    UNION ALL
    SELECT overlay(word PLACING '' FROM place FOR 1) FROM generate_series(1, length(word)) AS place
    WHERE length(word) > 2
  ) AS one_less
$$;

CREATE FUNCTION describe_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := setweight(to_tsvector('english', NEW.name), 'A')
    || setweight(to_tsvector('english', NEW.category), 'B')
    || setweight(to_tsvector('english', coalesce(NEW.description, '')), 'D');
  RETURN NEW;
END
$$;
CREATE TRIGGER product_describe BEFORE INSERT OR UPDATE OF name, category, description ON product
  FOR EACH ROW EXECUTE FUNCTION describe_product();

-- It runs after the rows, so that every change of products locks its rows before the version.
CREATE FUNCTION raise_catalogue_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE catalogue_version SET version = version + 1 WHERE id = 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER product_version AFTER INSERT OR UPDATE OR DELETE ON product
  FOR EACH STATEMENT EXECUTE FUNCTION raise_catalogue_version();
-- The catalogue shows only whether any are left, so other changes of the count do not raise the
-- version.
CREATE TRIGGER product_stock_version AFTER UPDATE ON product_stock
  FOR EACH ROW WHEN ((OLD.count = 0) <> (NEW.count = 0))
  EXECUTE FUNCTION raise_catalogue_version();

-- Searches are corrected by the words of the products on sale. A word that a corrected product no
-- longer has is removed with the change. If it stayed known, it would never be corrected.
CREATE FUNCTION words_of_product(name text, category text, description text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(word ORDER BY word), '{}')
  FROM unnest(tsvector_to_array(to_tsvector('simple'::regconfig,
    concat_ws(' ', name, category, description)))) AS word
  -- No addresses and the like: only what a search for words can ask for.
  WHERE length(word) BETWEEN 2 AND 40 AND word !~ '[[:punct:][:space:]]'
$$;

-- It runs after the row, and under the version's lock, which every change of a product takes. So a
-- change that removes a word sees every product that has gained it meanwhile.
CREATE FUNCTION keep_product_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  had text[] := '{}';
  has text[] := '{}';
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.is_active THEN
    had := words_of_product(OLD.name, OLD.category, OLD.description);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.is_active THEN
    has := words_of_product(NEW.name, NEW.category, NEW.description);
  END IF;
  IF had = has THEN
    RETURN NULL;
  END IF;
  PERFORM 1 FROM catalogue_version WHERE id = 1 FOR UPDATE;
  INSERT INTO product_word (word, variants)
  SELECT word, word_variants(word) FROM unnest(has) AS word
  WHERE NOT word = ANY (had)
  ON CONFLICT DO NOTHING;
  DELETE FROM product_word w
  USING unnest(had) AS gone (word)
  WHERE w.word = gone.word AND NOT gone.word = ANY (has)
    -- A word like "for" is in no search term. It stays, or a search would correct it.
    AND numnode(plainto_tsquery('english', gone.word)) > 0
    AND NOT EXISTS (
      SELECT FROM product p
      WHERE p.is_active AND p.search @@ plainto_tsquery('english', gone.word)
        AND gone.word = ANY (words_of_product(p.name, p.category, p.description)));
  RETURN NULL;
END
$$;
CREATE TRIGGER product_words
  AFTER INSERT OR DELETE OR UPDATE OF name, category, description, is_active ON product
  FOR EACH ROW EXECUTE FUNCTION keep_product_words();

-- ---------------------------------------------------------------- product-orders

CREATE TABLE product_order (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  status TEXT NOT NULL,
  idempotency_key TEXT,
  payload_hash TEXT,
  items_total_paise BIGINT NOT NULL,
  gst_paise BIGINT NOT NULL,
  gst_rate_bps INTEGER NOT NULL,
  delivery_fee_paise BIGINT NOT NULL,
  total_paise BIGINT NOT NULL,
  payment_method TEXT NOT NULL DEFAULT 'COD',
  shipping_address_sealed TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  carrier TEXT,
  cash_received_paise BIGINT NOT NULL DEFAULT 0,
  consignment_number TEXT,
  delivered_at TIMESTAMPTZ(3),
  returned_at TIMESTAMPTZ(3),
  shipped_at TIMESTAMPTZ(3),
  CONSTRAINT product_order_status_check CHECK (status IN (
    'PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED')),
  CONSTRAINT product_order_amounts_check CHECK (items_total_paise > 0 AND gst_paise >= 0
    AND gst_rate_bps >= 0 AND delivery_fee_paise >= 0),
  CONSTRAINT product_order_total_check
    CHECK (total_paise = items_total_paise + gst_paise + delivery_fee_paise),
  CONSTRAINT product_order_method_check CHECK (payment_method = 'COD'),
  CONSTRAINT product_order_key_check CHECK ((idempotency_key IS NULL) = (payload_hash IS NULL)),
  -- GST is rounded half up on each of at most 20 lines, so the sum is within 10 paise of the GST of
  -- the whole.
  CONSTRAINT product_order_gst_check
    CHECK (abs(gst_paise * 10000 - items_total_paise * gst_rate_bps) <= 20 * 5000),
  CONSTRAINT product_order_cash_check CHECK (
    cash_received_paise = 0
    OR (cash_received_paise BETWEEN 0 AND total_paise AND status IN ('DELIVERED', 'RETURNED'))),
  CONSTRAINT product_order_carrier_check CHECK (consignment_number IS NULL OR carrier IS NOT NULL),
  CONSTRAINT product_order_moments_check CHECK (
    (delivered_at IS NULL OR shipped_at IS NOT NULL)
    AND (returned_at IS NULL OR delivered_at IS NOT NULL))
);
CREATE INDEX product_order_user_id_created_at_id_idx
  ON product_order (user_id, created_at DESC, id DESC);
CREATE INDEX product_order_created_at_id_idx ON product_order (created_at DESC, id DESC);
CREATE INDEX product_order_status_created_at_id_idx
  ON product_order (status, created_at DESC, id DESC);
CREATE UNIQUE INDEX product_order_user_id_idempotency_key_key
  ON product_order (user_id, idempotency_key);
-- The purge of old keys reads it.
CREATE INDEX product_order_keyed_idx ON product_order (created_at)
  WHERE idempotency_key IS NOT NULL;
-- What was ordered on a day is summed from this index alone.
CREATE INDEX product_order_kept_idx ON product_order (created_at) INCLUDE (total_paise)
  WHERE status NOT IN ('CANCELLED', 'RETURNED');
-- In the register a supply belongs to the day on which the goods left.
CREATE INDEX product_order_register_idx
  ON product_order ((coalesce(shipped_at, created_at)) DESC, id DESC);

CREATE TABLE product_order_line (
  id UUID PRIMARY KEY,
  order_id UUID NOT NULL REFERENCES product_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  line_no INTEGER NOT NULL,
  product_id UUID NOT NULL REFERENCES product ON DELETE RESTRICT ON UPDATE RESTRICT,
  name TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  unit_price_paise BIGINT NOT NULL,
  gst_paise BIGINT NOT NULL,
  line_total_paise BIGINT NOT NULL,
  CONSTRAINT product_order_line_quantity_check CHECK (quantity BETWEEN 1 AND 10),
  CONSTRAINT product_order_line_number_check CHECK (line_no BETWEEN 1 AND 20),
  CONSTRAINT product_order_line_total_check CHECK (unit_price_paise > 0 AND gst_paise >= 0
    AND line_total_paise = unit_price_paise * quantity + gst_paise)
);
CREATE INDEX product_order_line_product_id_idx ON product_order_line (product_id);
CREATE UNIQUE INDEX product_order_line_order_id_line_no_key
  ON product_order_line (order_id, line_no);

CREATE TABLE product_order_event (
  id UUID PRIMARY KEY,
  seq BIGSERIAL NOT NULL,
  order_id UUID NOT NULL REFERENCES product_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  from_status TEXT,
  to_status TEXT NOT NULL,
  cause TEXT NOT NULL,
  actor TEXT NOT NULL,
  request_id TEXT,
  at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX product_order_event_seq_key ON product_order_event (seq);
CREATE INDEX product_order_event_order_id_seq_idx ON product_order_event (order_id, seq);

CREATE TABLE product_order_cash (
  id UUID PRIMARY KEY,
  order_id UUID NOT NULL REFERENCES product_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  amount_paise BIGINT NOT NULL,
  reference TEXT NOT NULL,
  received_on DATE NOT NULL,
  recorded_by UUID NOT NULL REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  recorded_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT product_order_cash_amount_check CHECK (amount_paise > 0)
);
CREATE UNIQUE INDEX product_order_cash_order_id_reference_key
  ON product_order_cash (order_id, reference);
CREATE INDEX product_order_cash_received_on_id_idx ON product_order_cash (received_on, id);
CREATE INDEX product_order_cash_recorded_at_idx ON product_order_cash (recorded_at);

CREATE TABLE product_invoice (
  id UUID PRIMARY KEY,
  kind TEXT NOT NULL,
  financial_year INTEGER NOT NULL,
  serial INTEGER NOT NULL,
  number TEXT NOT NULL,
  order_id UUID NOT NULL REFERENCES product_order ON DELETE RESTRICT ON UPDATE RESTRICT,
  items_total_paise BIGINT NOT NULL,
  gst_paise BIGINT NOT NULL,
  gst_rate_bps INTEGER NOT NULL,
  delivery_fee_paise BIGINT NOT NULL,
  total_paise BIGINT NOT NULL,
  supplier JSONB NOT NULL,
  issued_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT product_invoice_kind_check CHECK (kind IN ('INVOICE', 'CREDIT_NOTE')),
  CONSTRAINT product_invoice_serial_check CHECK (serial > 0 AND length(number) <= 16),
  CONSTRAINT product_invoice_figures_check CHECK (
    items_total_paise >= 0 AND gst_paise >= 0 AND delivery_fee_paise >= 0
    AND total_paise = items_total_paise + gst_paise + delivery_fee_paise)
);
CREATE UNIQUE INDEX product_invoice_number_key ON product_invoice (number);
CREATE UNIQUE INDEX product_invoice_kind_financial_year_serial_key
  ON product_invoice (kind, financial_year, serial);
CREATE UNIQUE INDEX product_invoice_order_id_kind_key ON product_invoice (order_id, kind);
CREATE INDEX product_invoice_issued_at_idx ON product_invoice (issued_at);

CREATE TABLE product_invoice_series (
  kind TEXT NOT NULL,
  financial_year INTEGER NOT NULL,
  last_serial INTEGER NOT NULL,
  PRIMARY KEY (kind, financial_year),
  CONSTRAINT product_invoice_series_serial_check CHECK (last_serial > 0)
);

-- Placing an order takes its pieces from the stock by this trigger, so that no build sells what is
-- not there.
CREATE FUNCTION take_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_stock SET count = count - NEW.quantity, updated_at = now()
  WHERE product_id = NEW.product_id;
  RETURN NULL;
END $$;
CREATE TRIGGER product_order_line_stock AFTER INSERT ON product_order_line
  FOR EACH ROW EXECUTE FUNCTION take_stock();

-- It locks the stock in the order of the products, as placing an order does.
CREATE FUNCTION give_stock_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM product_stock s JOIN product_order_line l ON l.product_id = s.product_id
  WHERE l.order_id = NEW.id ORDER BY s.product_id FOR UPDATE OF s;
  UPDATE product_stock s SET count = s.count + l.quantity, updated_at = now()
  FROM product_order_line l WHERE l.order_id = NEW.id AND l.product_id = s.product_id;
  RETURN NULL;
END $$;
CREATE TRIGGER product_order_cancelled_stock AFTER UPDATE OF status ON product_order
  FOR EACH ROW WHEN (NEW.status = 'CANCELLED' AND OLD.status <> 'CANCELLED')
  EXECUTE FUNCTION give_stock_back();

CREATE FUNCTION add_cash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_order SET cash_received_paise = cash_received_paise + NEW.amount_paise
  WHERE id = NEW.order_id;
  RETURN NULL;
END $$;
CREATE TRIGGER product_order_cash_added AFTER INSERT ON product_order_cash
  FOR EACH ROW EXECUTE FUNCTION add_cash();

-- Financial years in India begin on 1 April, in Indian time.
CREATE FUNCTION financial_year_of(at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT extract(year FROM at AT TIME ZONE 'UTC' + interval '330 minutes' - interval '3 months')::int
$$;

-- An invoice's number may have at most 16 characters, such as J2627-000001.
CREATE FUNCTION product_invoice_number(kind text, financial_year int, serial int)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'INVOICE' THEN 'J' ELSE 'C' END
    || lpad((financial_year % 100)::text, 2, '0') || lpad(((financial_year + 1) % 100)::text, 2, '0')
    || '-' || lpad(serial::text, greatest(6, length(serial::text)), '0')
$$;

-- Returns what the company publishes of itself.
CREATE FUNCTION published_entity() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM legal_field
  WHERE section = 'entity' AND verified
$$;

CREATE FUNCTION product_invoice_kind(to_status text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE to_status WHEN 'SHIPPED' THEN 'INVOICE' WHEN 'RETURNED' THEN 'CREDIT_NOTE' END
$$;

-- Issues the invoice of goods that leave, or the credit note of goods that come back. The database
-- numbers them, so that every build of the service issues them and none can leave a gap.
CREATE FUNCTION issue_product_invoice() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  new_kind text := product_invoice_kind(NEW.to_status);
  year int := financial_year_of(NEW.at);
  new_serial int;
BEGIN
  INSERT INTO product_invoice_series AS series (kind, financial_year, last_serial)
  VALUES (new_kind, year, 1)
  ON CONFLICT (kind, financial_year) DO UPDATE SET last_serial = series.last_serial + 1
  RETURNING last_serial INTO new_serial;
  INSERT INTO product_invoice (id, kind, financial_year, serial, number, order_id,
    items_total_paise, gst_paise, gst_rate_bps, delivery_fee_paise, total_paise, supplier, issued_at)
  SELECT gen_random_uuid(), new_kind, year, new_serial,
    product_invoice_number(new_kind, year, new_serial), o.id, o.items_total_paise, o.gst_paise,
    o.gst_rate_bps, o.delivery_fee_paise, o.total_paise, published_entity(), NEW.at
  FROM product_order o WHERE o.id = NEW.order_id;
  RETURN NULL;
END
$$;
-- The row of their series serialises all invoices of a year. The trigger is deferred, so that the
-- row is locked only during the commit, when the transaction already has every other lock.
CREATE CONSTRAINT TRIGGER product_order_event_invoice AFTER INSERT ON product_order_event
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.to_status IN ('SHIPPED', 'RETURNED'))
  EXECUTE FUNCTION issue_product_invoice();

CREATE FUNCTION stamp_product_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_order SET
    shipped_at = CASE NEW.to_status WHEN 'SHIPPED' THEN NEW.at ELSE shipped_at END,
    delivered_at = CASE NEW.to_status WHEN 'DELIVERED' THEN NEW.at ELSE delivered_at END,
    returned_at = CASE NEW.to_status WHEN 'RETURNED' THEN NEW.at ELSE returned_at END
  WHERE id = NEW.order_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER product_order_event_stamp AFTER INSERT ON product_order_event
  FOR EACH ROW WHEN (NEW.to_status IN ('SHIPPED', 'DELIVERED', 'RETURNED'))
  EXECUTE FUNCTION stamp_product_order();

-- Issues the invoices that the triggers did not, numbered in the order in which the goods moved. A
-- database that was filled without row triggers is completed by it.
CREATE FUNCTION issue_missing_product_invoices() RETURNS void LANGUAGE sql AS $$
  UPDATE product_order o SET shipped_at = e.shipped_at, delivered_at = e.delivered_at,
    returned_at = e.returned_at
  FROM (
    SELECT order_id, max(at) FILTER (WHERE to_status = 'SHIPPED') AS shipped_at,
      max(at) FILTER (WHERE to_status = 'DELIVERED') AS delivered_at,
      max(at) FILTER (WHERE to_status = 'RETURNED') AS returned_at
    FROM product_order_event WHERE to_status IN ('SHIPPED', 'DELIVERED', 'RETURNED')
    GROUP BY order_id) e
  WHERE e.order_id = o.id AND (o.shipped_at, o.delivered_at, o.returned_at)
    IS DISTINCT FROM (e.shipped_at, e.delivered_at, e.returned_at);

  WITH missing AS (
    SELECT e.order_id, e.at, e.seq, product_invoice_kind(e.to_status) AS kind,
      financial_year_of(e.at) AS year
    FROM product_order_event e
    WHERE e.to_status IN ('SHIPPED', 'RETURNED') AND NOT EXISTS (
      SELECT FROM product_invoice i
      WHERE i.order_id = e.order_id AND i.kind = product_invoice_kind(e.to_status))),
  numbered AS (
    SELECT m.*, coalesce(s.last_serial, 0)
      + row_number() OVER (PARTITION BY m.kind, m.year ORDER BY m.at, m.seq)::int AS serial
    FROM missing m
    LEFT JOIN product_invoice_series s ON s.kind = m.kind AND s.financial_year = m.year)
  INSERT INTO product_invoice (id, kind, financial_year, serial, number, order_id,
    items_total_paise, gst_paise, gst_rate_bps, delivery_fee_paise, total_paise, supplier, issued_at)
  SELECT gen_random_uuid(), n.kind, n.year, n.serial,
    product_invoice_number(n.kind, n.year, n.serial), o.id, o.items_total_paise, o.gst_paise,
    o.gst_rate_bps, o.delivery_fee_paise, o.total_paise, entity.published, n.at
  FROM numbered n JOIN product_order o ON o.id = n.order_id,
    (SELECT published_entity() OFFSET 0) AS entity (published);

  INSERT INTO product_invoice_series (kind, financial_year, last_serial)
  SELECT kind, financial_year, max(serial) FROM product_invoice GROUP BY 1, 2
  ON CONFLICT (kind, financial_year) DO UPDATE SET last_serial = excluded.last_serial;
$$;

-- ---------------------------------------------------------------- support

CREATE TABLE support_ticket (
  id UUID PRIMARY KEY,
  reference TEXT NOT NULL,
  user_id UUID REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  category TEXT NOT NULL,
  status TEXT NOT NULL,
  name_sealed TEXT,
  email_sealed TEXT,
  phone_sealed TEXT,
  subject_sealed TEXT,
  message_sealed TEXT,
  purge_after TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  assignee_id UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  due_at TIMESTAMPTZ(3),
  CONSTRAINT support_ticket_category_check CHECK (category IN ('CONTACT', 'GRIEVANCE')),
  CONSTRAINT support_ticket_status_check
    CHECK (status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'))
);
CREATE UNIQUE INDEX support_ticket_reference_key ON support_ticket (reference);
CREATE INDEX support_ticket_status_created_at_id_idx
  ON support_ticket (status, created_at DESC, id DESC);
CREATE INDEX support_ticket_user_id_idx ON support_ticket (user_id);
CREATE INDEX support_ticket_purge_idx ON support_ticket (purge_after)
  WHERE message_sealed IS NOT NULL;
CREATE INDEX support_ticket_created_at_id_idx ON support_ticket (created_at DESC, id DESC);
CREATE INDEX support_ticket_assignee_id_created_at_id_idx
  ON support_ticket (assignee_id, created_at DESC, id DESC);
CREATE INDEX support_ticket_due_idx ON support_ticket (due_at)
  WHERE status IN ('OPEN', 'IN_PROGRESS');

CREATE TABLE support_ticket_event (
  id UUID PRIMARY KEY,
  ticket_id UUID NOT NULL REFERENCES support_ticket ON DELETE RESTRICT ON UPDATE RESTRICT,
  from_status TEXT NOT NULL,
  to_status TEXT NOT NULL,
  actor_id UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  request_id TEXT NOT NULL,
  note_sealed TEXT,
  purge_after TIMESTAMPTZ(3),
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT support_ticket_event_status_check CHECK (
    from_status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED')
    AND to_status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED') AND from_status <> to_status)
);
CREATE INDEX support_ticket_event_ticket_id_at_idx ON support_ticket_event (ticket_id, at);
CREATE INDEX support_ticket_event_purge_idx ON support_ticket_event (purge_after)
  WHERE note_sealed IS NOT NULL;

CREATE TABLE support_ticket_message (
  id UUID PRIMARY KEY,
  ticket_id UUID NOT NULL REFERENCES support_ticket ON DELETE RESTRICT ON UPDATE RESTRICT,
  author TEXT NOT NULL,
  admin_id UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  body_sealed TEXT,
  purge_after TIMESTAMPTZ(3),
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT support_ticket_message_author_check CHECK (
    author IN ('CUSTOMER', 'OPERATOR') AND (author = 'OPERATOR') = (admin_id IS NOT NULL))
);
CREATE INDEX support_ticket_message_ticket_id_at_id_idx
  ON support_ticket_message (ticket_id, at, id);
CREATE INDEX support_ticket_message_purge_idx ON support_ticket_message (purge_after)
  WHERE body_sealed IS NOT NULL;

-- Sets the due date by the policy where the insert names none.
CREATE FUNCTION set_ticket_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.due_at := coalesce(NEW.due_at, NEW.created_at
    + CASE NEW.category WHEN 'GRIEVANCE' THEN interval '30 days' ELSE interval '7 days' END);
  RETURN NEW;
END
$$;
CREATE TRIGGER support_ticket_due BEFORE INSERT ON support_ticket
  FOR EACH ROW EXECUTE FUNCTION set_ticket_due();

-- ---------------------------------------------------------------- reconciliation

CREATE TABLE unproven_holding (
  user_id UUID PRIMARY KEY,
  seq BIGSERIAL NOT NULL
);
CREATE UNIQUE INDEX unproven_holding_seq_key ON unproven_holding (seq);

CREATE TABLE reconciliation_run (
  id UUID PRIMARY KEY,
  kind TEXT NOT NULL,
  window_hours INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL,
  due_at TIMESTAMPTZ(3),
  requested_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  requested_at TIMESTAMPTZ(3) NOT NULL,
  started_at TIMESTAMPTZ(3),
  finished_at TIMESTAMPTZ(3),
  touched_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  checks_done INTEGER NOT NULL DEFAULT 0,
  generated_at TIMESTAMPTZ(3),
  checks JSONB,
  CONSTRAINT reconciliation_run_kind_check CHECK (kind IN ('REPORT', 'DATABASE_RULES')),
  CONSTRAINT reconciliation_run_trigger_check CHECK (
    (trigger = 'SCHEDULE' AND due_at IS NOT NULL AND requested_by IS NULL)
    OR (trigger = 'OPERATOR' AND due_at IS NULL AND requested_by IS NOT NULL)),
  CONSTRAINT reconciliation_run_status_check CHECK (
    status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
  CONSTRAINT reconciliation_run_result_check CHECK (
    (status = 'DONE') = (checks IS NOT NULL)
    AND (checks IS NULL) = (generated_at IS NULL)
    AND (status IN ('DONE', 'FAILED')) = (finished_at IS NOT NULL)),
  CONSTRAINT reconciliation_run_window_check CHECK (window_hours BETWEEN 1 AND 720)
);
CREATE INDEX reconciliation_run_requested_at_id_idx
  ON reconciliation_run (requested_at DESC, id DESC);
CREATE INDEX reconciliation_run_kind_window_hours_generated_at_idx
  ON reconciliation_run (kind, window_hours, generated_at DESC);
CREATE UNIQUE INDEX reconciliation_run_kind_window_hours_due_at_key
  ON reconciliation_run (kind, window_hours, due_at);
-- At most one run of a window is under way.
CREATE UNIQUE INDEX reconciliation_run_open_key ON reconciliation_run (kind, window_hours)
  WHERE status IN ('QUEUED', 'RUNNING');

CREATE TABLE reconciliation_agreement (
  collaborator TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  print TEXT NOT NULL,
  agreed_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (collaborator, kind, subject)
);
CREATE INDEX reconciliation_agreement_agreed_at_idx ON reconciliation_agreement (agreed_at);

-- Every change of a holding and every new movement, by any statement, marks the holding to be
-- proven again. A proof that runs meanwhile waits for the row, finds another number and leaves it.
CREATE FUNCTION leave_unproven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unproven_holding (user_id) VALUES (NEW.user_id)
  ON CONFLICT (user_id) DO UPDATE SET seq = excluded.seq;
  RETURN NULL;
END
$$;
CREATE TRIGGER holding_inserted_unproven AFTER INSERT ON holding FOR EACH ROW
  WHEN (NEW.balance <> 0 OR NEW.invested_paise <> 0) EXECUTE FUNCTION leave_unproven();
CREATE TRIGGER holding_updated_unproven AFTER UPDATE ON holding FOR EACH ROW
  WHEN (OLD.balance <> NEW.balance OR OLD.invested_paise <> NEW.invested_paise)
  EXECUTE FUNCTION leave_unproven();
CREATE TRIGGER holding_movement_unproven AFTER INSERT ON holding_movement FOR EACH ROW
  EXECUTE FUNCTION leave_unproven();

-- ---------------------------------------------------------------- proof-of-gold

CREATE TABLE proof_run (
  id UUID PRIMARY KEY,
  number SERIAL NOT NULL,
  day DATE NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL,
  requested_by UUID REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  requested_at TIMESTAMPTZ(3) NOT NULL,
  started_at TIMESTAMPTZ(3),
  finished_at TIMESTAMPTZ(3),
  touched_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  reason TEXT,
  detail JSONB,
  salt_key BYTEA,
  CONSTRAINT proof_run_trigger_check CHECK (
    (trigger = 'SCHEDULE' AND requested_by IS NULL)
    OR (trigger = 'OPERATOR' AND requested_by IS NOT NULL)),
  CONSTRAINT proof_run_status_check CHECK (
    status IN ('QUEUED', 'RUNNING', 'PUBLISHED', 'REFUSED', 'FAILED')),
  CONSTRAINT proof_run_result_check CHECK (
    (status IN ('PUBLISHED', 'REFUSED', 'FAILED')) = (finished_at IS NOT NULL)
    AND (status = 'REFUSED') = (reason IS NOT NULL))
);
CREATE UNIQUE INDEX proof_run_number_key ON proof_run (number);
CREATE INDEX proof_run_requested_at_id_idx ON proof_run (requested_at DESC, id DESC);
-- At most one run is under way, and the schedule starts no second run for a day that has its
-- statement.
CREATE UNIQUE INDEX proof_run_open_key ON proof_run ((true)) WHERE status IN ('QUEUED', 'RUNNING');
CREATE UNIQUE INDEX proof_run_day_key ON proof_run (day)
  WHERE trigger = 'SCHEDULE' AND status IN ('QUEUED', 'RUNNING', 'PUBLISHED');
-- It holds the runs whose tree is still kept.
CREATE INDEX proof_run_tree_idx ON proof_run (number) WHERE salt_key IS NOT NULL;

CREATE TABLE proof_statement (
  sequence INTEGER PRIMARY KEY,
  run_id UUID NOT NULL REFERENCES proof_run ON DELETE RESTRICT ON UPDATE RESTRICT,
  day DATE NOT NULL,
  accounts INTEGER NOT NULL,
  signed TEXT NOT NULL,
  signatures JSONB NOT NULL,
  hash BYTEA NOT NULL,
  published_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT proof_statement_sequence_check CHECK (sequence > 0),
  CONSTRAINT proof_statement_hash_check CHECK (octet_length(hash) = 32)
);
CREATE UNIQUE INDEX proof_statement_run_id_key ON proof_statement (run_id);
CREATE INDEX proof_statement_day_sequence_idx ON proof_statement (day, sequence);

CREATE TABLE proof_leaf (
  run_number INTEGER NOT NULL,
  user_id UUID NOT NULL,
  position INTEGER NOT NULL,
  grams DECIMAL(20,8) NOT NULL,
  PRIMARY KEY (run_number, user_id),
  -- A holding of zero or less has no leaf, so that a sum can only grow.
  CONSTRAINT proof_leaf_grams_check CHECK (grams > 0),
  CONSTRAINT proof_leaf_position_check CHECK (position >= 0)
);

CREATE TABLE proof_chunk (
  run_number INTEGER NOT NULL,
  level INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  nodes BYTEA NOT NULL,
  PRIMARY KEY (run_number, level, chunk)
);
-- Hashes do not compress.
ALTER TABLE proof_chunk ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE TABLE proof_confirmation (
  provider TEXT NOT NULL,
  provider_user_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  grams DECIMAL(20,8) NOT NULL,
  booked DECIMAL(20,8) NOT NULL,
  confirmed_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (provider, provider_user_id)
);

-- ---------------------------------------------------------------- transactions

CREATE TABLE transaction_count (
  user_id UUID NOT NULL REFERENCES app_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  day DATE NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (user_id, day),
  CONSTRAINT transaction_count_count_check CHECK (count > 0)
);

CREATE TABLE transaction_total (
  day DATE NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (day, kind, status)
);
-- A list reads the counts of its own kinds and nothing else, from the index alone.
CREATE INDEX transaction_total_kind_day_status_count_idx
  ON transaction_total (kind, day, status, count);

CREATE TABLE transaction_change (
  seq BIGSERIAL PRIMARY KEY,
  day DATE NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  change INTEGER NOT NULL
);

CREATE TABLE list_total (
  day DATE NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (day, kind, status)
);
CREATE INDEX list_total_kind_day_status_count_idx ON list_total (kind, day, status, count);

CREATE TABLE list_change (
  seq BIGSERIAL PRIMARY KEY,
  day DATE NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  change INTEGER NOT NULL
);

-- Rows of these tables are never deleted, and neither customer nor time of a row ever changes.
CREATE FUNCTION count_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In one order, so that two statements that count for the same customers can't block each other.
  INSERT INTO transaction_count AS counted (user_id, day, count)
  SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, count(*) FROM inserted
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (user_id, day) DO UPDATE SET count = counted.count + excluded.count;
  RETURN NULL;
END
$$;
CREATE TRIGGER gold_order_count AFTER INSERT ON gold_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER product_order_count AFTER INSERT ON product_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();
CREATE TRIGGER payout_count AFTER INSERT ON payout
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_transactions();

CREATE FUNCTION transaction_kind(type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE type WHEN 'BUY' THEN 'GOLD_BUY' WHEN 'SELL' THEN 'GOLD_SELL' ELSE type END
$$;

-- Changes are only inserted, so that no transaction waits for another. The kind is the trigger's
-- argument, except for gold orders, which have several.
CREATE FUNCTION note_transactions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'gold_order' THEN
    INSERT INTO transaction_change (day, kind, status, change)
    SELECT (created_at AT TIME ZONE 'UTC')::date, transaction_kind(type), status, count(*)
    FROM inserted GROUP BY 1, 2, 3;
  ELSE
    INSERT INTO transaction_change (day, kind, status, change)
    SELECT (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0], status, count(*)
    FROM inserted GROUP BY 1, 2, 3;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER gold_order_noted AFTER INSERT ON gold_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_transactions();
CREATE TRIGGER product_order_noted AFTER INSERT ON product_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION note_transactions('PRODUCT_ORDER');
CREATE TRIGGER payout_noted AFTER INSERT ON payout
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_transactions('PAYOUT');

CREATE FUNCTION note_transaction_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_day date := (NEW.created_at AT TIME ZONE 'UTC')::date;
  of_kind text := TG_ARGV[0];
BEGIN
  IF TG_TABLE_NAME = 'gold_order' THEN
    of_kind := transaction_kind(NEW.type);
  END IF;
  INSERT INTO transaction_change (day, kind, status, change)
  VALUES (on_day, of_kind, OLD.status, -1), (on_day, of_kind, NEW.status, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER gold_order_status_noted AFTER UPDATE OF status ON gold_order FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status();
CREATE TRIGGER product_order_status_noted AFTER UPDATE OF status ON product_order FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status('PRODUCT_ORDER');
CREATE TRIGGER payout_status_noted AFTER UPDATE OF status ON payout FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status('PAYOUT');

CREATE FUNCTION note_list_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_change (day, kind, status, change)
  SELECT (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0], status, count(*)
  FROM inserted GROUP BY 1, 3;
  RETURN NULL;
END
$$;
CREATE TRIGGER sip_plan_noted AFTER INSERT ON sip_plan
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_list_rows('SIP_PLAN');
CREATE TRIGGER referral_reward_noted AFTER INSERT ON referral_reward
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION note_list_rows('REFERRAL_REWARD');

CREATE FUNCTION note_list_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_day date := (NEW.created_at AT TIME ZONE 'UTC')::date;
BEGIN
  INSERT INTO list_change (day, kind, status, change)
  VALUES (on_day, TG_ARGV[0], OLD.status, -1), (on_day, TG_ARGV[0], NEW.status, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER sip_plan_status_noted AFTER UPDATE OF status ON sip_plan FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_list_status('SIP_PLAN');
CREATE TRIGGER referral_reward_status_noted AFTER UPDATE OF status ON referral_reward FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_list_status('REFERRAL_REWARD');

-- ---------------------------------------------------------------- reports

CREATE TABLE running_total (
  shard SMALLINT PRIMARY KEY,
  users BIGINT NOT NULL DEFAULT 0,
  blocked_users BIGINT NOT NULL DEFAULT 0,
  holders BIGINT NOT NULL DEFAULT 0,
  grams DECIMAL(20,8) NOT NULL DEFAULT 0,
  reserved DECIMAL(20,8) NOT NULL DEFAULT 0,
  invested_paise BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT running_total_shard_check CHECK (shard BETWEEN 0 AND 63)
) WITH (fillfactor = 50);

-- A connection works on one transaction at a time, so hardly any two transactions share a row of
-- the totals.
CREATE FUNCTION count_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_here int := (NEW.deleted_at IS NULL)::int;
  is_blocked int := (NEW.deleted_at IS NULL AND NEW.blocked)::int;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    is_here := is_here - (OLD.deleted_at IS NULL)::int;
    is_blocked := is_blocked - (OLD.deleted_at IS NULL AND OLD.blocked)::int;
  END IF;
  INSERT INTO running_total AS total (shard, users, blocked_users)
  VALUES (pg_backend_pid() % 64, is_here, is_blocked)
  ON CONFLICT (shard) DO UPDATE SET users = total.users + excluded.users,
    blocked_users = total.blocked_users + excluded.blocked_users;
  RETURN NULL;
END
$$;
-- Deferred, so that the row is locked only during the commit, when the transaction already has
-- every other lock.
CREATE CONSTRAINT TRIGGER app_user_inserted_total AFTER INSERT ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_user();
CREATE CONSTRAINT TRIGGER app_user_updated_total AFTER UPDATE ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.blocked <> NEW.blocked OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION count_user();

CREATE FUNCTION count_holding() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  holders int := (NEW.balance > 0)::int;
  grams numeric := NEW.balance;
  reserved numeric := NEW.reserved;
  invested bigint := NEW.invested_paise;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    holders := holders - (OLD.balance > 0)::int;
    grams := grams - OLD.balance;
    reserved := reserved - OLD.reserved;
    invested := invested - OLD.invested_paise;
  END IF;
  INSERT INTO running_total AS total (shard, holders, grams, reserved, invested_paise)
  VALUES (pg_backend_pid() % 64, holders, grams, reserved, invested)
  ON CONFLICT (shard) DO UPDATE SET holders = total.holders + excluded.holders,
    grams = total.grams + excluded.grams, reserved = total.reserved + excluded.reserved,
    invested_paise = total.invested_paise + excluded.invested_paise;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER holding_inserted_total AFTER INSERT ON holding
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_holding();
CREATE CONSTRAINT TRIGGER holding_updated_total AFTER UPDATE ON holding
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.balance <> NEW.balance OR OLD.reserved <> NEW.reserved
    OR OLD.invested_paise <> NEW.invested_paise)
  EXECUTE FUNCTION count_holding();

-- ---------------------------------------------------------------- figures

CREATE TABLE figure_snapshot (
  id SMALLINT PRIMARY KEY,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  claimed_at TIMESTAMPTZ(3) NOT NULL,
  taken_at TIMESTAMPTZ(3),
  figures JSONB,
  CONSTRAINT figure_snapshot_single_check CHECK (id = 1),
  CONSTRAINT figure_snapshot_taken_check CHECK ((taken_at IS NULL) = (figures IS NULL))
);

-- ---------------------------------------------------------------- ci

CREATE TABLE deploy_trigger (
  id UUID PRIMARY KEY,
  target TEXT NOT NULL,
  status TEXT NOT NULL,
  actor_id UUID NOT NULL REFERENCES admin_user ON DELETE RESTRICT ON UPDATE RESTRICT,
  detail TEXT,
  at TIMESTAMPTZ(3) NOT NULL,
  asked_at TIMESTAMPTZ(3),
  CONSTRAINT deploy_trigger_target_check
    CHECK (target IN ('backend', 'website', 'admin-portal', 'monitoring')),
  CONSTRAINT deploy_trigger_status_check
    CHECK (status IN ('DISPATCHING', 'DISPATCHED', 'REFUSED', 'UNKNOWN', 'NOT_STARTED'))
);
CREATE INDEX deploy_trigger_at_idx ON deploy_trigger (at DESC);
CREATE INDEX deploy_trigger_target_at_idx ON deploy_trigger (target, at DESC);
CREATE INDEX deploy_trigger_undecided_idx ON deploy_trigger (asked_at NULLS FIRST, at)
  WHERE status IN ('DISPATCHING', 'UNKNOWN');

-- ---------------------------------------------------------------- platform

CREATE TABLE idempotency_key (
  owner_id UUID NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  status TEXT NOT NULL,
  holder_id UUID NOT NULL,
  lease_until TIMESTAMPTZ(3) NOT NULL,
  resource_id UUID,
  created_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (owner_id, operation, key),
  CONSTRAINT idempotency_key_status_check CHECK (status IN ('RUNNING', 'DONE')),
  CONSTRAINT idempotency_key_done_check CHECK (status <> 'DONE' OR resource_id IS NOT NULL)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE scheduled_job (
  id UUID PRIMARY KEY,
  key TEXT NOT NULL,
  task TEXT NOT NULL,
  payload JSONB NOT NULL DEFAULT '{}',
  due_at TIMESTAMPTZ(3) NOT NULL,
  queue TEXT,
  max_attempts INTEGER,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX scheduled_job_key_key ON scheduled_job (key);
CREATE INDEX scheduled_job_due_at_idx ON scheduled_job (due_at);

CREATE TABLE wrapping_key (
  number INTEGER PRIMARY KEY,
  wrapped TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  active_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT wrapping_key_number_check CHECK (number >= 1),
  CONSTRAINT wrapping_key_wrapped_check CHECK (wrapped <> '')
);

CREATE TABLE use_window (
  name TEXT NOT NULL,
  subject_id UUID NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (name, subject_id),
  CONSTRAINT use_window_uses_check CHECK (uses > 0)
);
CREATE INDEX use_window_started_at_idx ON use_window (started_at);

CREATE TABLE job_pool (
  id TEXT PRIMARY KEY,
  beat_at TIMESTAMPTZ(3) NOT NULL,
  suspected_at TIMESTAMPTZ(3)
);

-- ---------------------------------------------------------------- append-only tables

-- The owner is refused too. Where the law demands a change, the owner disables the trigger, on
-- record.
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
-- The lines of an order keep the names and prices of their day.
CREATE TRIGGER product_order_event_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER product_order_line_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER order_part_event_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON order_part_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER product_order_cash_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_cash
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER month_end_reopening_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON month_end_reopening
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER product_invoice_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_invoice
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER proof_statement_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON proof_statement
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- ---------------------------------------------------------------- deleted customers

-- No row is added for a deleted customer. The check takes the lock that a foreign key takes anyway,
-- so a new row and the deletion of its customer exclude each other. The second of them sees the
-- first.
CREATE FUNCTION is_customer(customer uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM app_user WHERE id = customer AND deleted_at IS NULL FOR KEY SHARE;
  RETURN FOUND;
END
$$;

CREATE FUNCTION refuse_for_deleted_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT is_customer(NEW.user_id) THEN
    RAISE EXCEPTION 'the customer of a new row of % is deleted', TG_TABLE_NAME
      USING ERRCODE = 'DG001';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER gold_quote_customer BEFORE INSERT ON gold_quote
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER gold_order_customer BEFORE INSERT ON gold_order
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER payment_order_customer BEFORE INSERT ON payment_order
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER sip_plan_customer BEFORE INSERT ON sip_plan
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER product_order_customer BEFORE INSERT ON product_order
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER bank_account_customer BEFORE INSERT ON bank_account
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER kyc_record_customer BEFORE INSERT ON kyc_record
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER kyc_document_customer BEFORE INSERT ON kyc_document
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER session_customer BEFORE INSERT ON session
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER biometric_token_customer BEFORE INSERT ON biometric_token
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();
CREATE TRIGGER push_token_customer BEFORE INSERT ON push_token
  FOR EACH ROW EXECUTE FUNCTION refuse_for_deleted_customer();

-- A notification is written with what happened, which must not fail because its customer was
-- deleted.
CREATE FUNCTION skip_for_deleted_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_customer(NEW.user_id) THEN RETURN NEW; END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER notification_customer BEFORE INSERT ON notification
  FOR EACH ROW EXECUTE FUNCTION skip_for_deleted_customer();

-- ---------------------------------------------------------------- rights of the application

GRANT USAGE ON SCHEMA public TO dgs_app;

-- Triggers alone add these rows, with the rights of their owner.
GRANT SELECT ON audit_chain, audit_pending, product_invoice, product_invoice_series TO dgs_app;

-- These rows are only added: history, what was signed, and what customers agreed to. A new text of
-- a policy is a new version.
GRANT SELECT, INSERT ON
  policy_determination, reconciliation_sign_off, month_end_close, month_end_reopening,
  policy_version, statutory_parameter, audit_log, gold_order_event, holding_movement,
  order_part_event, product_order_line, product_order_event, product_order_cash,
  support_ticket_event, support_ticket_message, proof_statement
  TO dgs_app;

-- These rows are kept for good, so never deleted: money, what moved it, and who owns it. Without
-- its wrapping key a sealed value could not be opened again.
GRANT SELECT, INSERT, UPDATE ON
  app_user, user_data_key, admin_user, portal_user, setting_version, limits_setting,
  approval_request, webhook_event, price_config, kyc_record, bank_account, sip_plan, gold_order,
  provider_operation, payment_reversal, gateway_routing, payment_order, gateway_attempt,
  gateway_payment, payout, payout_attempt, holding, holding_reservation, order_call_try, referral,
  referral_reward, product, catalogue_version, product_order, proof_run, proof_confirmation,
  transaction_count, transaction_total, list_total, running_total, figure_snapshot, deploy_trigger,
  wrapping_key
  TO dgs_app;

-- These rows are added and deleted, and never changed.
GRANT SELECT, INSERT, DELETE ON
  bank_validation, product_word, proof_leaf, proof_chunk, transaction_change, list_change
  TO dgs_app;

-- These rows expire, or can be made again.
GRANT SELECT, INSERT, UPDATE, DELETE ON
  session, used_refresh_token, biometric_token, otp_code, trusted_device, sign_in_guard,
  address_refusal, otp_guard, otp_send, mpin_guard, push_token, deleted_phone, admin_login_guard,
  admin_login_caller, portal_session, portal_login_guard, portal_login_caller, feature_flag, banner,
  legal_field, readiness_evidence, second_factor, recovery_code, security_event, notification,
  refusal_count, price_snapshot, kyc_document, gold_quote, gateway_setting, former_buyer,
  product_image, product_stock, support_ticket, unproven_holding, reconciliation_run,
  reconciliation_agreement, idempotency_key, scheduled_job, use_window, job_pool
  TO dgs_app;

-- A text is erased or sealed with another key. Nothing else of such a row ever changes.
GRANT UPDATE (note_sealed, purge_after) ON support_ticket_event TO dgs_app;
GRANT UPDATE (body_sealed, purge_after) ON support_ticket_message TO dgs_app;

GRANT USAGE ON SEQUENCE
  audit_log_seq_seq, gold_order_event_seq_seq, list_change_seq_seq, order_part_event_seq_seq,
  product_order_event_seq_seq, proof_run_number_seq, transaction_change_seq_seq,
  unproven_holding_seq_seq
  TO dgs_app;

-- Only the owner completes the invoices of a database that was filled.
REVOKE EXECUTE ON FUNCTION issue_missing_product_invoices() FROM PUBLIC;

-- ---------------------------------------------------------------- rows that always exist

INSERT INTO setting_version (name, version)
SELECT name, gen_random_uuid() FROM unnest(ARRAY['limits', 'flags', 'banners', 'spreads']) AS name;
INSERT INTO price_config (id, buy_spread_bps, sell_spread_bps, updated_at) VALUES (1, 0, 0, now());
INSERT INTO limits_setting (
  id, min_buy_paise, max_buy_paise, daily_buy_paise, min_sell_paise, max_sell_paise,
  min_sip_paise, max_sip_paise, delivery_fee_paise, free_delivery_from_paise, updated_at)
VALUES (1, 1000, 20000000, 50000000, 1000, 50000000, 1000, 10000000, 9900, 500000, now());
INSERT INTO gateway_routing (id, priority, updated_at) VALUES (1, '{}', now());
INSERT INTO statutory_parameter (id, key, value, effective_from, note, created_at) VALUES
  ('01890000-0000-7000-8000-000000000001', 'gst_rate_bps', '300', '2017-07-01',
   'GST on gold, in basis points', now());
INSERT INTO catalogue_version (id, version) VALUES (1, 1);
INSERT INTO running_total (shard) VALUES (0);
