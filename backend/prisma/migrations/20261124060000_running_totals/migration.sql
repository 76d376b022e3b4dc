-- CreateTable
CREATE TABLE "running_total" (
    "shard" SMALLINT NOT NULL,
    "users" BIGINT NOT NULL DEFAULT 0,
    "blocked_users" BIGINT NOT NULL DEFAULT 0,
    "holders" BIGINT NOT NULL DEFAULT 0,
    "grams" DECIMAL(20,8) NOT NULL DEFAULT 0,
    "reserved" DECIMAL(20,8) NOT NULL DEFAULT 0,
    "invested_paise" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "running_total_pkey" PRIMARY KEY ("shard")
);
ALTER TABLE running_total
  SET (fillfactor = 50),
  ADD CONSTRAINT running_total_shard_check CHECK (shard BETWEEN 0 AND 63);
GRANT SELECT, INSERT, UPDATE ON running_total TO dgs_app;

-- Until the end of the migration nothing changes that neither the triggers nor the count of what
-- is there would see.
LOCK TABLE app_user, holding IN SHARE ROW EXCLUSIVE MODE;

-- A connection works on one transaction at a time, so that its row is as good as its own.
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

-- Deferred: the row is locked when the transaction has every other lock and only commits, so that
-- it can block nobody who waits for it.
CREATE CONSTRAINT TRIGGER app_user_inserted_total AFTER INSERT ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_user();
CREATE CONSTRAINT TRIGGER app_user_updated_total AFTER UPDATE ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.blocked <> NEW.blocked OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))
  EXECUTE FUNCTION count_user();
CREATE CONSTRAINT TRIGGER holding_inserted_total AFTER INSERT ON holding
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_holding();
CREATE CONSTRAINT TRIGGER holding_updated_total AFTER UPDATE ON holding
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.balance <> NEW.balance OR OLD.reserved <> NEW.reserved
    OR OLD.invested_paise <> NEW.invested_paise)
  EXECUTE FUNCTION count_holding();

INSERT INTO running_total (shard, users, blocked_users, holders, grams, reserved, invested_paise)
SELECT 0, u.users, u.blocked, h.holders, h.grams, h.reserved, h.invested
FROM (
  SELECT count(*) AS users, count(*) FILTER (WHERE blocked) AS blocked
  FROM app_user WHERE deleted_at IS NULL) AS u,
(SELECT count(*) FILTER (WHERE balance > 0) AS holders, coalesce(sum(balance), 0) AS grams,
   coalesce(sum(reserved), 0) AS reserved, coalesce(sum(invested_paise), 0)::bigint AS invested
 FROM holding) AS h;

-- What was sold on a day, and who joined, from the index alone.
CREATE INDEX gold_order_allocated_idx ON gold_order (allocated_at) INCLUDE (amount_paise)
  WHERE allocated_at IS NOT NULL AND recovered_at IS NULL;
CREATE INDEX product_order_kept_idx ON product_order (created_at) INCLUDE (total_paise)
  WHERE status NOT IN ('CANCELLED', 'RETURNED');
