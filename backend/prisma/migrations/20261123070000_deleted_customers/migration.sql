-- Nothing is written for a customer who is deleted. The check takes the lock that a foreign key
-- takes anyhow, so a row and the deletion of its customer exclude each other: whichever comes
-- first, the other one sees it.

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

-- Notifications go with what happened, which must not fail because nobody is there to read them.
CREATE FUNCTION skip_for_deleted_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_customer(NEW.user_id) THEN RETURN NEW; END IF;
  RETURN NULL;
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
CREATE TRIGGER notification_customer BEFORE INSERT ON notification
  FOR EACH ROW EXECUTE FUNCTION skip_for_deleted_customer();

-- The gold provider knows a phone number as one user for good. Who gets the number after its last
-- owner is deleted is that user there, and the tombstone keeps the id for the books.
DROP INDEX app_user_provider_user_id_key;
CREATE UNIQUE INDEX app_user_provider_user_id_key ON app_user (provider_user_id)
  WHERE deleted_at IS NULL;
CREATE INDEX app_user_provider_user_id_idx ON app_user (provider_user_id);

-- The purge of the documents of deleted customers.
CREATE INDEX app_user_deleted_idx ON app_user (deleted_at) WHERE deleted_at IS NOT NULL;
