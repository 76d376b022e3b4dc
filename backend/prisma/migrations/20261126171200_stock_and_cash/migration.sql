-- The pieces of a product that are left, where the house counts them. Orders take from it by a
-- trigger, so that no version of the service sells what is not there.
CREATE TABLE "product_stock" (
    "product_id" UUID NOT NULL,
    "count" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_stock_pkey" PRIMARY KEY ("product_id")
);

-- Money that was received for an order after its delivery. Insert-only.
CREATE TABLE "product_order_cash" (
    "id" UUID NOT NULL,
    "order_id" UUID NOT NULL,
    "amount_paise" BIGINT NOT NULL,
    "reference" TEXT NOT NULL,
    "received_on" DATE NOT NULL,
    "recorded_by" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_order_cash_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "product_order" ADD COLUMN     "carrier" TEXT,
ADD COLUMN     "cash_received_paise" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "consignment_number" TEXT;

CREATE UNIQUE INDEX "product_order_cash_order_id_reference_key" ON "product_order_cash"("order_id", "reference");
CREATE INDEX "product_order_cash_received_on_id_idx" ON "product_order_cash"("received_on", "id");

ALTER TABLE "product_stock" ADD CONSTRAINT "product_stock_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "product"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "product_order_cash" ADD CONSTRAINT "product_order_cash_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "product_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "product_order_cash" ADD CONSTRAINT "product_order_cash_recorded_by_fkey" FOREIGN KEY ("recorded_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE product_stock ADD CONSTRAINT product_stock_count_check CHECK (count >= 0);
ALTER TABLE product_order_cash
  ADD CONSTRAINT product_order_cash_amount_check CHECK (amount_paise > 0);
ALTER TABLE product_order
  ADD CONSTRAINT product_order_cash_check CHECK (
    cash_received_paise = 0
    OR (cash_received_paise BETWEEN 0 AND total_paise AND status IN ('DELIVERED', 'RETURNED'))),
  ADD CONSTRAINT product_order_carrier_check
    CHECK (consignment_number IS NULL OR carrier IS NOT NULL);

CREATE FUNCTION take_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_stock SET count = count - NEW.quantity, updated_at = now()
  WHERE product_id = NEW.product_id;
  RETURN NULL;
END $$;
CREATE TRIGGER product_order_line_stock AFTER INSERT ON product_order_line
  FOR EACH ROW EXECUTE FUNCTION take_stock();

-- In the order of the products, as those who order lock them.
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

-- The catalogue shows only whether there is any, so a count that changes otherwise shows nothing.
CREATE TRIGGER product_stock_version AFTER UPDATE ON product_stock
  FOR EACH ROW WHEN ((OLD.count = 0) <> (NEW.count = 0))
  EXECUTE FUNCTION raise_catalogue_version();

CREATE FUNCTION add_cash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE product_order SET cash_received_paise = cash_received_paise + NEW.amount_paise
  WHERE id = NEW.order_id;
  RETURN NULL;
END $$;
CREATE TRIGGER product_order_cash_added AFTER INSERT ON product_order_cash
  FOR EACH ROW EXECUTE FUNCTION add_cash();
CREATE TRIGGER product_order_cash_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_order_cash
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT, UPDATE, DELETE ON product_stock TO dgs_app;
GRANT SELECT, INSERT ON product_order_cash TO dgs_app;
