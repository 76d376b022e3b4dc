-- The trace that a stored event, and the payment of an order, continue: two random ids, nothing of a
-- customer. Null where nothing is traced.
ALTER TABLE "webhook_event" ADD COLUMN "traceparent" TEXT;
ALTER TABLE "payment_order" ADD COLUMN "traceparent" TEXT;
