-- Keys of the ring of personal data where a key service wraps them. Their numbers rise by one, so
-- that of two processes that make one at once only one does.
CREATE TABLE "wrapping_key" (
    "number" INTEGER NOT NULL,
    "wrapped" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "active_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "wrapping_key_pkey" PRIMARY KEY ("number")
);

ALTER TABLE wrapping_key
  ADD CONSTRAINT wrapping_key_number_check CHECK (number >= 1),
  ADD CONSTRAINT wrapping_key_wrapped_check CHECK (wrapped <> '');

-- Never deleted: without its key a value can't be opened again.
GRANT SELECT, INSERT, UPDATE ON wrapping_key TO dgs_app;
