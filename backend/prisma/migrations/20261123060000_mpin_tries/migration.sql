-- Each try by its time, so that five within any 15 minutes lock. No version has used the two columns
-- of counting from the first try on, nor written a row.
ALTER TABLE "mpin_guard" DROP COLUMN "window_started_at",
DROP COLUMN "wrong_count",
ADD COLUMN     "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];
