-- How often a subject (a customer, an account, a payment order) has used something since the window
-- of its bound began.
CREATE TABLE "use_window" (
    "name" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "uses" INTEGER NOT NULL,

    CONSTRAINT "use_window_pkey" PRIMARY KEY ("name","subject_id")
);

CREATE INDEX "use_window_started_at_idx" ON "use_window"("started_at");

ALTER TABLE use_window ADD CONSTRAINT use_window_uses_check CHECK (uses > 0);

GRANT SELECT, INSERT, UPDATE, DELETE ON use_window TO dgs_app;
