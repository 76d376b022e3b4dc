-- Life signs of the pools that take jobs: a row, since a session's lock is no one's behind a pooler.
CREATE TABLE "job_pool" (
    "id" TEXT NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,
    "suspected_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_pool_pkey" PRIMARY KEY ("id")
);

GRANT SELECT, INSERT, UPDATE, DELETE ON job_pool TO dgs_app;
