-- Actions that wait for a second operator. Versions before this one ask for none.

-- CreateTable
CREATE TABLE "approval_request" (
    "id" UUID NOT NULL,
    "api" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "content_sealed" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "requested_by" UUID NOT NULL,
    "requested_by_email" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" UUID,
    "decided_by_email" TEXT,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "approval_request_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "approval_request_api_requested_at_id_idx" ON "approval_request"("api", "requested_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "approval_request_status_expires_at_idx" ON "approval_request"("status", "expires_at");

-- One request waits for an action on one thing.
CREATE UNIQUE INDEX approval_request_pending_key ON approval_request (api, action, target)
  WHERE status = 'PENDING';

ALTER TABLE approval_request
  ADD CONSTRAINT approval_request_api_check CHECK (api IN ('admin', 'accounting')),
  ADD CONSTRAINT approval_request_status_check
    CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'WITHDRAWN', 'EXPIRED')),
  -- Nobody approves or rejects what they asked for, and only they withdraw it.
  ADD CONSTRAINT approval_request_decided_check CHECK (
    (status = 'PENDING') = (decided_at IS NULL)
    AND (decided_by IS NULL) = (decided_by_email IS NULL)
    AND CASE status
      WHEN 'PENDING' THEN decided_by IS NULL
      WHEN 'EXPIRED' THEN decided_by IS NULL
      WHEN 'WITHDRAWN' THEN decided_by = requested_by
      ELSE decided_by <> requested_by END);

GRANT SELECT, INSERT, UPDATE ON approval_request TO dgs_app;
