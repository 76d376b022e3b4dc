-- How many plans and rewards of a day (UTC) are in each state: with it their lists find a page and
-- the total without counting rows, as the feed of transactions does by its own counts. What has
-- changed since a total was written stands in list_change: the two together are the count.
CREATE TABLE "list_total" (
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "list_total_pkey" PRIMARY KEY ("day","kind","status")
);
CREATE TABLE "list_change" (
    "seq" BIGSERIAL NOT NULL,
    "day" DATE NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "change" INTEGER NOT NULL,

    CONSTRAINT "list_change_pkey" PRIMARY KEY ("seq")
);
CREATE INDEX "referral_reward_created_at_id_idx" ON "referral_reward"("created_at" DESC, "id" DESC);

GRANT SELECT, INSERT, UPDATE ON list_total TO dgs_app;
GRANT SELECT, INSERT, DELETE ON list_change TO dgs_app;
GRANT USAGE ON SEQUENCE list_change_seq_seq TO dgs_app;

-- Until the end of the migration nothing changes that neither the triggers nor the count of what
-- is there would see.
LOCK TABLE sip_plan, referral_reward IN SHARE ROW EXCLUSIVE MODE;

CREATE FUNCTION note_list_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO list_change (day, kind, status, change)
  SELECT (created_at AT TIME ZONE 'UTC')::date, TG_ARGV[0], status, count(*)
  FROM inserted GROUP BY 1, 3;
  RETURN NULL;
END
$$;
CREATE FUNCTION note_list_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  on_day date := (NEW.created_at AT TIME ZONE 'UTC')::date;
BEGIN
  INSERT INTO list_change (day, kind, status, change)
  VALUES (on_day, TG_ARGV[0], OLD.status, -1), (on_day, TG_ARGV[0], NEW.status, 1);
  RETURN NULL;
END
$$;
CREATE TRIGGER sip_plan_noted AFTER INSERT ON sip_plan
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_list_rows('SIP_PLAN');
CREATE TRIGGER referral_reward_noted AFTER INSERT ON referral_reward
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
  EXECUTE FUNCTION note_list_rows('REFERRAL_REWARD');
CREATE TRIGGER sip_plan_status_noted AFTER UPDATE OF status ON sip_plan FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_list_status('SIP_PLAN');
CREATE TRIGGER referral_reward_status_noted AFTER UPDATE OF status ON referral_reward FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_list_status('REFERRAL_REWARD');

INSERT INTO list_total (day, kind, status, count)
SELECT (created_at AT TIME ZONE 'UTC')::date, kind, status, count(*)
FROM (
  SELECT created_at, 'SIP_PLAN' AS kind, status FROM sip_plan
  UNION ALL SELECT created_at, 'REFERRAL_REWARD', status FROM referral_reward) AS listed
GROUP BY 1, 2, 3;
