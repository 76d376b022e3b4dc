-- The figures that metrics show, as the worker last read them: one row for the whole fleet.
CREATE TABLE "figure_snapshot" (
    "id" SMALLINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "claimed_at" TIMESTAMPTZ(3) NOT NULL,
    "taken_at" TIMESTAMPTZ(3),
    "figures" JSONB,

    CONSTRAINT "figure_snapshot_pkey" PRIMARY KEY ("id")
);

ALTER TABLE figure_snapshot
  ADD CONSTRAINT figure_snapshot_single_check CHECK (id = 1),
  ADD CONSTRAINT figure_snapshot_taken_check CHECK ((taken_at IS NULL) = (figures IS NULL));

GRANT SELECT, INSERT, UPDATE ON figure_snapshot TO dgs_app;
