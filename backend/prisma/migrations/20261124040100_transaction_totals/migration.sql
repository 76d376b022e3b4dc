-- CreateTable
CREATE TABLE "transaction_total" (
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "transaction_total_pkey" PRIMARY KEY ("day","kind","status")
);

-- CreateTable
CREATE TABLE "transaction_change" (
    "seq" BIGSERIAL NOT NULL,
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "change" INTEGER NOT NULL,

    CONSTRAINT "transaction_change_pkey" PRIMARY KEY ("seq")
);

GRANT SELECT, INSERT, UPDATE ON transaction_total TO dgs_app;
GRANT SELECT, INSERT, DELETE ON transaction_change TO dgs_app;
GRANT USAGE ON SEQUENCE transaction_change_seq_seq TO dgs_app;

-- Until the end of the migration nothing changes that neither the triggers nor the count of what
-- is there would see.
LOCK TABLE gold_order, product_order, payout IN SHARE ROW EXCLUSIVE MODE;

CREATE FUNCTION transaction_kind(type text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE type WHEN 'BUY' THEN 'GOLD_BUY' WHEN 'SELL' THEN 'GOLD_SELL' ELSE type END
$$;

-- Changes are only inserted, so that no transaction waits for another one's. The kind is the
-- trigger's argument, but for gold orders, which have several.
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
CREATE TRIGGER gold_order_noted AFTER INSERT ON gold_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_transactions();
CREATE TRIGGER product_order_noted AFTER INSERT ON product_order
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION note_transactions('PRODUCT_ORDER');
CREATE TRIGGER payout_noted AFTER INSERT ON payout
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_transactions('PAYOUT');
CREATE TRIGGER gold_order_status_noted AFTER UPDATE OF status ON gold_order FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status();
CREATE TRIGGER product_order_status_noted AFTER UPDATE OF status ON product_order FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status('PRODUCT_ORDER');
CREATE TRIGGER payout_status_noted AFTER UPDATE OF status ON payout FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_transaction_status('PAYOUT');

INSERT INTO transaction_total (day, kind, status, count)
SELECT (created_at AT TIME ZONE 'UTC')::date, kind, status, count(*)
FROM (
  SELECT created_at, transaction_kind(type) AS kind, status FROM gold_order
  UNION ALL SELECT created_at, 'PRODUCT_ORDER', status FROM product_order
  UNION ALL SELECT created_at, 'PAYOUT', status FROM payout) AS transactions
GROUP BY 1, 2, 3;
