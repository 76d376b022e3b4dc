-- CreateTable
CREATE TABLE "support_ticket_event" (
    "id" UUID NOT NULL,
    "ticket_id" UUID NOT NULL,
    "from_status" TEXT NOT NULL,
    "to_status" TEXT NOT NULL,
    "actor_id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "note_sealed" TEXT,
    "purge_after" TIMESTAMPTZ(3),
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "support_ticket_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "support_ticket_event_ticket_id_at_idx" ON "support_ticket_event"("ticket_id", "at");

-- CreateIndex
CREATE INDEX "support_ticket_created_at_id_idx" ON "support_ticket"("created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "support_ticket_event" ADD CONSTRAINT "support_ticket_event_ticket_id_fkey" FOREIGN KEY ("ticket_id") REFERENCES "support_ticket"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "support_ticket_event" ADD CONSTRAINT "support_ticket_event_actor_id_fkey" FOREIGN KEY ("actor_id") REFERENCES "admin_user"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

ALTER TABLE support_ticket_event
  ADD CONSTRAINT support_ticket_event_status_check CHECK (
    from_status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED')
    AND to_status IN ('OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED') AND from_status <> to_status);
CREATE INDEX support_ticket_event_purge_idx ON support_ticket_event (purge_after)
  WHERE note_sealed IS NOT NULL;
-- A note is erased, or sealed with a new key; nothing else of a row ever changes.
GRANT SELECT, INSERT, UPDATE (note_sealed) ON support_ticket_event TO dgs_app;
