-- Statements that the gold of all customers is there, and the tree by which each of them can check it.
CREATE TABLE "proof_run" (
    "id" UUID NOT NULL,
    "number" SERIAL NOT NULL,
    "day" DATE NOT NULL,
    "trigger" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "requested_by" UUID,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "reason" TEXT,
    "detail" JSONB,
    "salt_key" BYTEA,

    CONSTRAINT "proof_run_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "proof_statement" (
    "sequence" INTEGER NOT NULL,
    "run_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "accounts" INTEGER NOT NULL,
    "signed" TEXT NOT NULL,
    "signatures" JSONB NOT NULL,
    "hash" BYTEA NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "proof_statement_pkey" PRIMARY KEY ("sequence")
);

CREATE TABLE "proof_leaf" (
    "run_number" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "grams" DECIMAL(20,8) NOT NULL,

    CONSTRAINT "proof_leaf_pkey" PRIMARY KEY ("run_number","user_id")
);

CREATE TABLE "proof_chunk" (
    "run_number" INTEGER NOT NULL,
    "level" INTEGER NOT NULL,
    "chunk" INTEGER NOT NULL,
    "nodes" BYTEA NOT NULL,

    CONSTRAINT "proof_chunk_pkey" PRIMARY KEY ("run_number","level","chunk")
);

CREATE TABLE "proof_confirmation" (
    "provider" TEXT NOT NULL,
    "provider_user_id" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "grams" DECIMAL(20,8) NOT NULL,
    "booked" DECIMAL(20,8) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "proof_confirmation_pkey" PRIMARY KEY ("provider","provider_user_id")
);

CREATE UNIQUE INDEX "proof_run_number_key" ON "proof_run"("number");
CREATE INDEX "proof_run_requested_at_id_idx" ON "proof_run"("requested_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "proof_statement_run_id_key" ON "proof_statement"("run_id");
CREATE INDEX "proof_statement_day_sequence_idx" ON "proof_statement"("day", "sequence");

ALTER TABLE "proof_run" ADD CONSTRAINT "proof_run_requested_by_fkey"
  FOREIGN KEY ("requested_by") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "proof_statement" ADD CONSTRAINT "proof_statement_run_id_fkey"
  FOREIGN KEY ("run_id") REFERENCES "proof_run"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE proof_run
  ADD CONSTRAINT proof_run_trigger_check CHECK (
    (trigger = 'SCHEDULE' AND requested_by IS NULL)
    OR (trigger = 'OPERATOR' AND requested_by IS NOT NULL)),
  ADD CONSTRAINT proof_run_status_check CHECK (
    status IN ('QUEUED', 'RUNNING', 'PUBLISHED', 'REFUSED', 'FAILED')),
  ADD CONSTRAINT proof_run_result_check CHECK (
    (status IN ('PUBLISHED', 'REFUSED', 'FAILED')) = (finished_at IS NOT NULL)
    AND (status = 'REFUSED') = (reason IS NOT NULL));

-- At most one is under way, and the schedule makes no second one of a day that has its statement.
CREATE UNIQUE INDEX proof_run_open_key ON proof_run ((true)) WHERE status IN ('QUEUED', 'RUNNING');
CREATE UNIQUE INDEX proof_run_day_key ON proof_run (day)
  WHERE trigger = 'SCHEDULE' AND status IN ('QUEUED', 'RUNNING', 'PUBLISHED');
-- Of the runs whose tree is still kept.
CREATE INDEX proof_run_tree_idx ON proof_run (number) WHERE salt_key IS NOT NULL;

ALTER TABLE proof_statement
  ADD CONSTRAINT proof_statement_sequence_check CHECK (sequence > 0),
  ADD CONSTRAINT proof_statement_hash_check CHECK (octet_length(hash) = 32);

-- A holding of nothing or less has no leaf: a sum can only grow.
ALTER TABLE proof_leaf
  ADD CONSTRAINT proof_leaf_grams_check CHECK (grams > 0),
  ADD CONSTRAINT proof_leaf_position_check CHECK (position >= 0);

-- Hashes do not compress.
ALTER TABLE proof_chunk ALTER COLUMN nodes SET STORAGE EXTERNAL;

CREATE TRIGGER proof_statement_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON proof_statement
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT, UPDATE ON proof_run TO dgs_app;
GRANT USAGE ON SEQUENCE proof_run_number_seq TO dgs_app;
GRANT SELECT, INSERT ON proof_statement TO dgs_app;
GRANT SELECT, INSERT, DELETE ON proof_leaf TO dgs_app;
GRANT SELECT, INSERT, DELETE ON proof_chunk TO dgs_app;
GRANT SELECT, INSERT, UPDATE ON proof_confirmation TO dgs_app;
