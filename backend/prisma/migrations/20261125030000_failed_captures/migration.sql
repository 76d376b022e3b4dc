-- Captured payments that their gateway reported as failed afterwards, until a resolution has judged that.
ALTER TABLE gateway_payment
  ADD COLUMN failed_after_capture_at TIMESTAMPTZ(3),
  ADD COLUMN failure_resolved_at TIMESTAMPTZ(3);

ALTER TABLE gateway_payment
  ADD CONSTRAINT gateway_payment_failure_check CHECK (
    (failed_after_capture_at IS NULL OR status <> 'FAILED')
    AND (failure_resolved_at IS NULL OR failed_after_capture_at IS NOT NULL));

-- The reviews that are open for such a failure.
UPDATE gateway_payment AS g SET failed_after_capture_at = o.updated_at
FROM payment_order AS p JOIN gold_order AS o ON o.id = p.order_id
WHERE g.id = p.captured_payment_id AND g.status = 'CAPTURED' AND g.standing = 'APPLIED'
  AND o.status = 'MANUAL_REVIEW'
  AND concat(o.manual_review_code, o.manual_review_reason) LIKE '%FAILED_AFTER_PAID%';
