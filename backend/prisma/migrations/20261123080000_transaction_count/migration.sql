-- CreateTable
CREATE TABLE "transaction_count" (
    "user_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "transaction_count_pkey" PRIMARY KEY ("user_id","day")
);

-- AddForeignKey
ALTER TABLE "transaction_count" ADD CONSTRAINT "transaction_count_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE transaction_count
  ADD CONSTRAINT transaction_count_count_check CHECK (count > 0);
GRANT SELECT, INSERT, UPDATE ON transaction_count TO dgs_app;

-- Until the end of the migration nothing is inserted that neither the triggers nor the count of
-- what is there would see.
LOCK TABLE gold_order, product_order, payout IN SHARE ROW EXCLUSIVE MODE;

-- Rows of these tables are never deleted, and neither customer nor time of one ever changes.
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

INSERT INTO transaction_count (user_id, day, count)
SELECT user_id, (created_at AT TIME ZONE 'UTC')::date, count(*)
FROM (
  SELECT user_id, created_at FROM gold_order
  UNION ALL SELECT user_id, created_at FROM product_order
  UNION ALL SELECT user_id, created_at FROM payout) AS transactions
GROUP BY 1, 2;
