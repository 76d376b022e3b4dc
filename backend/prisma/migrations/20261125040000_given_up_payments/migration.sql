-- Payment orders that were closed unpaid not long ago may be paid all the same: the gateways are
-- polled for them, and reconciliation looks at them, by the time at which they were closed.
CREATE INDEX payment_order_given_up_idx ON payment_order (updated_at)
  WHERE status IN ('FAILED', 'EXPIRED');
