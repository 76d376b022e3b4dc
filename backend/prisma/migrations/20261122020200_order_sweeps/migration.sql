-- The pass of a sweep that last looked at an order and could not help it: such an order goes to the
-- back of the next batch, so that it does not hide the others.
ALTER TABLE "gold_order" ADD COLUMN     "swept_at" TIMESTAMPTZ(3);
