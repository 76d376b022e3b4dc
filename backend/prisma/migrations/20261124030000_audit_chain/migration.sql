-- CreateTable
CREATE TABLE "audit_chain" (
    "number" BIGINT NOT NULL,
    "audit_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "audit_pending" (
    "audit_id" UUID NOT NULL,

    CONSTRAINT "audit_pending_pkey" PRIMARY KEY ("audit_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "audit_chain_audit_id_key" ON "audit_chain"("audit_id");

-- AddForeignKey
ALTER TABLE "audit_chain" ADD CONSTRAINT "audit_chain_audit_id_fkey" FOREIGN KEY ("audit_id") REFERENCES "audit_log"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE audit_chain
  ADD CONSTRAINT audit_chain_number_check CHECK (number > 0),
  ADD CONSTRAINT audit_chain_hash_check CHECK (octet_length(hash) = 32);

CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Only the triggers below add entries, with the rights of their owner.
GRANT SELECT ON audit_chain, audit_pending TO dgs_app;

-- The same text is hashed by `modules/audit/chain-hash.ts`. Each field is its length in bytes, a
-- colon and its text, or a hyphen where it is null, so that no two rows have one text. A column
-- that is added later goes to the end, and only where it is not null: old hashes must stay.
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

-- Other triggers lock rows at the commit too, in the order of what they follow. So a row is chained
-- in two steps: what the first one queues runs when nothing else is left, and its lock is the last.
CREATE FUNCTION queue_audit_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_pending (audit_id) VALUES (NEW.id);
  RETURN NULL;
END
$$;

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

-- Until the end of the migration no row is added that neither the trigger nor the loop would see.
LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE;

CREATE CONSTRAINT TRIGGER audit_log_chain AFTER INSERT ON audit_log
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION queue_audit_row();

-- The rows of before, in the order in which they were written.
DO $$
DECLARE
  entry audit_log%ROWTYPE;
  count BIGINT := 0;
  last BYTEA := decode(repeat('00', 32), 'hex');
BEGIN
  FOR entry IN SELECT * FROM audit_log ORDER BY seq LOOP
    count := count + 1;
    last := audit_chain_hash(count, last, entry);
    INSERT INTO audit_chain (number, audit_id, hash) VALUES (count, entry.id, last);
  END LOOP;
END
$$;
