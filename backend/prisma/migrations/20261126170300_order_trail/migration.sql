-- The trail of an order: every try of a call to a collaborator, and every transition of its payment
-- orders and payout. Triggers write it, so that no code path can leave a step out. A try lasts from
-- the moment at which a worker takes the row to the moment at which it lets go of it: its duration is
-- real time, its beginning the service's own clock.

ALTER TABLE "provider_operation" ADD COLUMN     "tried_at" TIMESTAMPTZ(3);

CREATE TABLE "order_call_try" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "order_id" UUID NOT NULL,
    "subject_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "collaborator" TEXT NOT NULL,
    "try_no" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "duration_ms" BIGINT,
    "outcome" TEXT,
    "reason" TEXT,

    CONSTRAINT "order_call_try_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "order_call_try_subject_id_operation_try_no_key" ON "order_call_try"("subject_id", "operation", "try_no");
CREATE INDEX "order_call_try_order_id_idx" ON "order_call_try"("order_id");

CREATE TABLE "order_part_event" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "seq" BIGSERIAL NOT NULL,
    "order_id" UUID NOT NULL,
    "part" TEXT NOT NULL,
    "part_id" UUID NOT NULL,
    "from_status" TEXT,
    "to_status" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "order_part_event_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "order_part_event_order_id_idx" ON "order_part_event"("order_id");
CREATE INDEX "order_part_event_part_id_seq_idx" ON "order_part_event"("part_id", "seq");

ALTER TABLE order_call_try
  ADD CONSTRAINT order_call_try_ended_check CHECK ((duration_ms IS NULL) OR outcome IS NOT NULL);
ALTER TABLE order_part_event
  ADD CONSTRAINT order_part_event_part_check CHECK (part IN ('payment_order', 'payout'));

CREATE TRIGGER order_part_event_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON order_part_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

GRANT SELECT, INSERT, UPDATE ON order_call_try TO dgs_app;
GRANT SELECT, INSERT ON order_part_event TO dgs_app;
GRANT USAGE ON SEQUENCE order_part_event_seq_seq TO dgs_app;

-- Begins the next try of a call; one that nobody ended lost its worker.
CREATE FUNCTION begin_order_try(
  of_order uuid, subject uuid, what text, whom text, started timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.order_call_try SET outcome = 'LOST'
  WHERE subject_id = subject AND operation = what AND outcome IS NULL;
  INSERT INTO public.order_call_try
    (order_id, subject_id, operation, collaborator, try_no, started_at)
  SELECT of_order, subject, what, whom, coalesce(max(try_no), 0) + 1, started
  FROM public.order_call_try WHERE subject_id = subject AND operation = what;
END $$;

-- Ends the try that is under way, if there is one.
CREATE FUNCTION end_order_try(subject uuid, what text, came_to text, why text) RETURNS void
LANGUAGE sql AS $$
  UPDATE public.order_call_try SET outcome = came_to, reason = why,
    duration_ms = greatest(0, round(extract(epoch FROM clock_timestamp() - begun_at) * 1000))
  WHERE subject_id = subject AND operation = what AND outcome IS NULL;
$$;

CREATE FUNCTION note_provider_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.order_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF NEW.holder_id IS NOT NULL
    AND (TG_OP = 'INSERT' OR NEW.holder_id IS DISTINCT FROM OLD.holder_id) THEN
    PERFORM public.begin_order_try(NEW.order_id, NEW.id, NEW.operation, NEW.provider,
      coalesce(NEW.tried_at, NEW.started_at));
  ELSIF TG_OP = 'UPDATE' AND NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL THEN
    PERFORM public.end_order_try(NEW.id, NEW.operation, NEW.status, NEW.detail ->> 'reason');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER provider_operation_try AFTER INSERT OR UPDATE ON provider_operation
  FOR EACH ROW EXECUTE FUNCTION note_provider_try();

CREATE FUNCTION note_payout_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.holder_id IS NOT NULL AND NEW.holder_id IS DISTINCT FROM OLD.holder_id THEN
    PERFORM public.begin_order_try(
      (SELECT p.order_id FROM public.payout p WHERE p.id = NEW.payout_id), NEW.id,
      'payout', NEW.provider, coalesce(NEW.last_asked_at, NEW.started_at));
  ELSIF NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL THEN
    -- One that was not sent this time has the send of before, or none.
    PERFORM public.end_order_try(NEW.id, 'payout',
      CASE WHEN NEW.status = 'INTENDED'
          OR (NEW.status = 'UNKNOWN' AND NEW.sent_at IS DISTINCT FROM OLD.sent_at)
        THEN 'NOT_SENT' ELSE NEW.status END,
      NEW.failure_reason);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payout_attempt_try AFTER UPDATE ON payout_attempt
  FOR EACH ROW EXECUTE FUNCTION note_payout_try();

CREATE FUNCTION note_debit_try() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A request goes out while its sender keeps the row: its outcome comes with another update.
  IF NEW.holder_id IS NOT NULL AND NEW.holder_id IS NOT DISTINCT FROM OLD.holder_id
    AND NEW.debit_status IS NOT DISTINCT FROM OLD.debit_status
    AND NEW.updated_at = OLD.updated_at AND NEW.debit_sent_at IS NOT NULL
    AND NEW.lease_until IS DISTINCT FROM OLD.lease_until THEN
    PERFORM public.begin_order_try(NEW.order_id, NEW.id, 'debit', NEW.gateway, NEW.debit_sent_at);
  ELSIF NEW.debit_status IS DISTINCT FROM OLD.debit_status
    OR NEW.debit_sent_at IS DISTINCT FROM OLD.debit_sent_at
    OR (NEW.holder_id IS NULL AND OLD.holder_id IS NOT NULL) THEN
    PERFORM public.end_order_try(NEW.id, 'debit', NEW.debit_status, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER payment_order_debit_try AFTER UPDATE ON payment_order
  FOR EACH ROW WHEN (NEW.debit_status IS NOT NULL) EXECUTE FUNCTION note_debit_try();

CREATE FUNCTION note_part_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.order_part_event (order_id, part, part_id, from_status, to_status, at)
  VALUES (NEW.order_id, TG_TABLE_NAME, NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END,
    NEW.status, CASE WHEN TG_OP = 'UPDATE' THEN NEW.updated_at ELSE NEW.created_at END);
  RETURN NULL;
END $$;
CREATE TRIGGER payment_order_made AFTER INSERT ON payment_order
  FOR EACH ROW EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payment_order_moved AFTER UPDATE ON payment_order
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payout_made AFTER INSERT ON payout
  FOR EACH ROW EXECUTE FUNCTION note_part_event();
CREATE TRIGGER payout_moved AFTER UPDATE ON payout
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION note_part_event();
