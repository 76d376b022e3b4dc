-- The last day of the IST calendar on which evidence holds; null where it has no end.
ALTER TABLE "readiness_evidence" ADD COLUMN     "expires_on" DATE;
