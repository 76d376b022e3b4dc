-- The registers of the accounting API go by the day on which gold or money moved. A buy has that
-- moment already, `allocated_at`; a sale gets it here.
ALTER TABLE "gold_order" ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3);

ALTER TABLE gold_order
  ADD CONSTRAINT gold_order_confirmed_check CHECK (confirmed_at IS NULL OR type = 'SELL');

-- By a trigger, so that the version that runs during the migration sets it too, and so that it is
-- the movement's own moment. The order was locked before the holding was.
CREATE FUNCTION set_sale_confirmed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE gold_order SET confirmed_at = NEW.at WHERE id = NEW.order_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER holding_movement_confirms_sale AFTER INSERT ON holding_movement
  FOR EACH ROW WHEN (NEW.kind = 'DEBIT') EXECUTE FUNCTION set_sale_confirmed();

UPDATE gold_order AS o SET confirmed_at = m.at
FROM holding_movement AS m WHERE m.order_id = o.id AND m.kind = 'DEBIT';

-- One index for each register, in its order; rows without gold or money go by their creation.
CREATE INDEX gold_order_buy_register_idx
  ON gold_order ((coalesce(allocated_at, created_at)) DESC, id DESC) WHERE type <> 'SELL';
CREATE INDEX gold_order_sell_register_idx
  ON gold_order ((coalesce(confirmed_at, created_at)) DESC, id DESC) WHERE type = 'SELL';
CREATE INDEX payout_register_idx ON payout ((coalesce(paid_at, created_at)) DESC, id DESC);
