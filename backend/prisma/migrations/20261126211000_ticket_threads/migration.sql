-- What a customer and the house write to each other about a ticket, after its first message. The
-- notes of operators stay apart, in its events.
CREATE TABLE "support_ticket_message" (
    "id" UUID NOT NULL,
    "ticket_id" UUID NOT NULL,
    "author" TEXT NOT NULL,
    "admin_id" UUID,
    "body_sealed" TEXT,
    "purge_after" TIMESTAMPTZ(3),
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "support_ticket_message_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "support_ticket" ADD COLUMN     "assignee_id" UUID,
ADD COLUMN     "due_at" TIMESTAMPTZ(3);

-- A customer who writes again reopens a ticket that was resolved: no operator did.
ALTER TABLE "support_ticket_event" ALTER COLUMN "actor_id" DROP NOT NULL;

CREATE INDEX "support_ticket_message_ticket_id_at_id_idx" ON "support_ticket_message"("ticket_id", "at", "id");
CREATE INDEX "support_ticket_assignee_id_created_at_id_idx" ON "support_ticket"("assignee_id", "created_at" DESC, "id" DESC);

ALTER TABLE "support_ticket" ADD CONSTRAINT "support_ticket_assignee_id_fkey" FOREIGN KEY ("assignee_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "support_ticket_message" ADD CONSTRAINT "support_ticket_message_ticket_id_fkey" FOREIGN KEY ("ticket_id") REFERENCES "support_ticket"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;
ALTER TABLE "support_ticket_message" ADD CONSTRAINT "support_ticket_message_admin_id_fkey" FOREIGN KEY ("admin_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE support_ticket_message
  ADD CONSTRAINT support_ticket_message_author_check CHECK (
    author IN ('CUSTOMER', 'OPERATOR') AND (author = 'OPERATOR') = (admin_id IS NOT NULL));

-- The version before this one opens tickets without a day: by the policy then.
CREATE FUNCTION set_ticket_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.due_at := coalesce(NEW.due_at, NEW.created_at
    + CASE NEW.category WHEN 'GRIEVANCE' THEN interval '30 days' ELSE interval '7 days' END);
  RETURN NEW;
END
$$;
CREATE TRIGGER support_ticket_due BEFORE INSERT ON support_ticket
  FOR EACH ROW EXECUTE FUNCTION set_ticket_due();
UPDATE support_ticket SET due_at = created_at
  + CASE category WHEN 'GRIEVANCE' THEN interval '30 days' ELSE interval '7 days' END;

CREATE INDEX support_ticket_due_idx ON support_ticket (due_at)
  WHERE status IN ('OPEN', 'IN_PROGRESS');
CREATE INDEX support_ticket_message_purge_idx ON support_ticket_message (purge_after)
  WHERE body_sealed IS NOT NULL;

-- A text is erased, or sealed with another key; nothing else of a row ever changes.
GRANT SELECT, INSERT, UPDATE (body_sealed, purge_after) ON support_ticket_message TO dgs_app;
GRANT UPDATE (purge_after) ON support_ticket_event TO dgs_app;
