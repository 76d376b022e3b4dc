-- What opens the checkout of a gateway's order, where the order's id does not. The running version
-- neither reads nor writes it.
ALTER TABLE "payment_order" ADD COLUMN     "checkout_session" TEXT;
