-- CreateTable
CREATE TABLE "unproven_holding" (
    "user_id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,

    CONSTRAINT "unproven_holding_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "unproven_holding_seq_key" ON "unproven_holding"("seq");

GRANT SELECT, INSERT, UPDATE, DELETE ON unproven_holding TO dgs_app;
GRANT USAGE ON SEQUENCE unproven_holding_seq_seq TO dgs_app;

LOCK TABLE holding, holding_movement IN SHARE ROW EXCLUSIVE MODE;

-- Whoever changes a holding or adds a movement, by whatever statement, leaves the holding to be
-- proven again. A proof that runs meanwhile waits for the row, finds another number and leaves it.
CREATE FUNCTION leave_unproven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unproven_holding (user_id) VALUES (NEW.user_id)
  ON CONFLICT (user_id) DO UPDATE SET seq = excluded.seq;
  RETURN NULL;
END
$$;
CREATE TRIGGER holding_inserted_unproven AFTER INSERT ON holding FOR EACH ROW
  WHEN (NEW.balance <> 0 OR NEW.invested_paise <> 0) EXECUTE FUNCTION leave_unproven();
CREATE TRIGGER holding_updated_unproven AFTER UPDATE ON holding FOR EACH ROW
  WHEN (OLD.balance <> NEW.balance OR OLD.invested_paise <> NEW.invested_paise)
  EXECUTE FUNCTION leave_unproven();
CREATE TRIGGER holding_movement_unproven AFTER INSERT ON holding_movement FOR EACH ROW
  EXECUTE FUNCTION leave_unproven();

INSERT INTO unproven_holding (user_id)
SELECT user_id FROM holding WHERE balance <> 0 OR invested_paise <> 0 OR version > 0;
