-- AlterTable
ALTER TABLE "gateway_attempt" ADD COLUMN "turned_down" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE gateway_attempt
  ADD CONSTRAINT gateway_attempt_turned_down_check CHECK (status = 'REFUSED' OR NOT turned_down);
