-- Failed sign-ins of an email by who tried, so that nobody locks its owner out of a browser that
-- signed in before. The version before goes on counting by email in the tables of before.

-- CreateTable
CREATE TABLE "admin_login_caller" (
    "email" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "locked_until" TIMESTAMPTZ(3),
    "touched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_login_caller_pkey" PRIMARY KEY ("email","caller")
);

-- CreateIndex
CREATE INDEX "admin_login_caller_touched_at_idx" ON "admin_login_caller"("touched_at");

-- CreateTable
CREATE TABLE "portal_login_caller" (
    "email" TEXT NOT NULL,
    "caller" TEXT NOT NULL,
    "tried_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "locked_until" TIMESTAMPTZ(3),
    "touched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "portal_login_caller_pkey" PRIMARY KEY ("email","caller")
);

-- CreateIndex
CREATE INDEX "portal_login_caller_touched_at_idx" ON "portal_login_caller"("touched_at");

GRANT SELECT, INSERT, UPDATE, DELETE ON admin_login_caller, portal_login_caller TO dgs_app;
