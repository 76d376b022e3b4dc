-- When an attempt was last sent that the provider has not answered: for so long it may still arrive
-- there. Of the attempts without an answer nobody noted it; it was not after the last look at them.
ALTER TABLE "payout_attempt" ADD COLUMN     "sent_at" TIMESTAMPTZ(3);

UPDATE payout_attempt SET sent_at = last_asked_at WHERE status IN ('INTENDED', 'UNKNOWN');
