-- AlterTable
ALTER TABLE "policy_version" ADD COLUMN "url" TEXT,
ALTER COLUMN "body" DROP NOT NULL;

-- A version that customers accepted is never another one afterwards: a new text is a new version.
ALTER TABLE policy_version
  ADD CONSTRAINT policy_version_content_check CHECK (body IS NOT NULL OR url IS NOT NULL);
REVOKE UPDATE ON policy_version FROM dgs_app;
