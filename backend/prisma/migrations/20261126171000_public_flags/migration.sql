-- Flags that everybody may read. The default is for versions that do not know the column: a flag
-- is for operators alone until one of them says otherwise.
ALTER TABLE "feature_flag" ADD COLUMN     "is_public" BOOLEAN NOT NULL DEFAULT false;
