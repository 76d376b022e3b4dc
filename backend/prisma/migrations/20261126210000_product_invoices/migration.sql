-- The tax invoices of jewellery and their credit notes. The database numbers them by its own
-- triggers as goods leave and come back, so that every version of the service writes them, and none
-- can leave a gap.
CREATE TABLE "product_invoice_series" (
    "kind" TEXT NOT NULL,
    "financial_year" INTEGER NOT NULL,
    "last_serial" INTEGER NOT NULL,

    CONSTRAINT "product_invoice_series_pkey" PRIMARY KEY ("kind","financial_year")
);

-- Insert-only.
CREATE TABLE "product_invoice" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "financial_year" INTEGER NOT NULL,
    "serial" INTEGER NOT NULL,
    "number" TEXT NOT NULL,
    "order_id" UUID NOT NULL,
    "items_total_paise" BIGINT NOT NULL,
    "gst_paise" BIGINT NOT NULL,
    "gst_rate_bps" INTEGER NOT NULL,
    "delivery_fee_paise" BIGINT NOT NULL,
    "total_paise" BIGINT NOT NULL,
    "supplier" JSONB NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "product_invoice_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "product_order" ADD COLUMN     "delivered_at" TIMESTAMPTZ(3),
ADD COLUMN     "returned_at" TIMESTAMPTZ(3),
ADD COLUMN     "shipped_at" TIMESTAMPTZ(3);

CREATE UNIQUE INDEX "product_invoice_number_key" ON "product_invoice"("number");
CREATE UNIQUE INDEX "product_invoice_kind_financial_year_serial_key" ON "product_invoice"("kind", "financial_year", "serial");
CREATE UNIQUE INDEX "product_invoice_order_id_kind_key" ON "product_invoice"("order_id", "kind");
CREATE INDEX "product_invoice_issued_at_idx" ON "product_invoice"("issued_at");
CREATE INDEX "product_order_cash_recorded_at_idx" ON "product_order_cash"("recorded_at");

ALTER TABLE "product_invoice" ADD CONSTRAINT "product_invoice_order_id_fkey" FOREIGN KEY ("order_id") REFERENCES "product_order"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE product_invoice_series
  ADD CONSTRAINT product_invoice_series_serial_check CHECK (last_serial > 0);
ALTER TABLE product_invoice
  ADD CONSTRAINT product_invoice_kind_check CHECK (kind IN ('INVOICE', 'CREDIT_NOTE')),
  ADD CONSTRAINT product_invoice_serial_check CHECK (serial > 0 AND length(number) <= 16),
  ADD CONSTRAINT product_invoice_figures_check CHECK (
    items_total_paise >= 0 AND gst_paise >= 0 AND delivery_fee_paise >= 0
    AND total_paise = items_total_paise + gst_paise + delivery_fee_paise);
ALTER TABLE product_order
  ADD CONSTRAINT product_order_moments_check CHECK (
    (delivered_at IS NULL OR shipped_at IS NOT NULL)
    AND (returned_at IS NULL OR delivered_at IS NOT NULL));

-- The order of the register: a supply belongs to the day on which the goods left.
CREATE INDEX product_order_register_idx
  ON product_order ((coalesce(shipped_at, created_at)) DESC, id DESC);

CREATE TRIGGER product_invoice_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON product_invoice
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Financial years in India begin on 1 April, in Indian time.
CREATE FUNCTION financial_year_of(at timestamptz) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT extract(year FROM at AT TIME ZONE 'UTC' + interval '330 minutes' - interval '3 months')::int
$$;

-- At most 16 characters, as an invoice's number may have: J2627-000001.
CREATE FUNCTION product_invoice_number(kind text, financial_year int, serial int)
RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE kind WHEN 'INVOICE' THEN 'J' ELSE 'C' END
    || lpad((financial_year % 100)::text, 2, '0') || lpad(((financial_year + 1) % 100)::text, 2, '0')
    || '-' || lpad(serial::text, greatest(6, length(serial::text)), '0')
$$;

-- What the house publishes of itself.
CREATE FUNCTION published_entity() RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM legal_field
  WHERE section = 'entity' AND verified
$$;

CREATE FUNCTION product_invoice_kind(to_status text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE to_status WHEN 'SHIPPED' THEN 'INVOICE' WHEN 'RETURNED' THEN 'CREDIT_NOTE' END
$$;

-- Issues the invoice of goods that leave, or the credit note of those that come back.
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

-- Deferred: all invoices of a year take turns, so the turn is as short as the commit, and comes when
-- the transaction has every other lock.
CREATE CONSTRAINT TRIGGER product_order_event_invoice AFTER INSERT ON product_order_event
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.to_status IN ('SHIPPED', 'RETURNED'))
  EXECUTE FUNCTION issue_product_invoice();

-- What left and came back before there were invoices: numbered in the order of its time. Filling a
-- database, which has no triggers of single rows then, ends with the same.
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
REVOKE EXECUTE ON FUNCTION issue_missing_product_invoices() FROM PUBLIC;
SELECT issue_missing_product_invoices();

GRANT SELECT ON product_invoice, product_invoice_series TO dgs_app;
