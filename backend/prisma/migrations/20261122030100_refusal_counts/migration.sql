-- CreateTable
CREATE TABLE "refusal_count" (
    "action" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "refusals" INTEGER NOT NULL DEFAULT 1,
    "actor_api" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "request_id" TEXT NOT NULL,
    "ip" TEXT NOT NULL,

    CONSTRAINT "refusal_count_pkey" PRIMARY KEY ("action","address","minute")
);

-- CreateIndex
CREATE INDEX "refusal_count_minute_idx" ON "refusal_count"("minute");

ALTER TABLE refusal_count
  ADD CONSTRAINT refusal_count_refusals_check CHECK (refusals > 0);
GRANT SELECT, INSERT, UPDATE, DELETE ON refusal_count TO dgs_app;
