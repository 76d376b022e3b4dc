-- CreateTable
CREATE TABLE "setting_version" (
    "name" TEXT NOT NULL,
    "version" UUID NOT NULL,

    CONSTRAINT "setting_version_pkey" PRIMARY KEY ("name")
);

ALTER TABLE setting_version
  ADD CONSTRAINT setting_version_name_check
    CHECK (name IN ('limits', 'flags', 'banners', 'spreads'));
INSERT INTO setting_version (name, version)
  SELECT name, gen_random_uuid() FROM (VALUES ('limits'), ('flags'), ('banners'), ('spreads')) AS s (name);

-- Whoever changes a setting, a statement by hand too, gives it a new version in the same
-- transaction. A random one: a database that was restored never comes by an old version again.
CREATE FUNCTION renew_setting_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE setting_version SET version = gen_random_uuid() WHERE name = TG_ARGV[0];
  RETURN NULL;
END
$$;
CREATE TRIGGER limits_setting_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON limits_setting
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('limits');
CREATE TRIGGER feature_flag_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON feature_flag
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('flags');
CREATE TRIGGER banner_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON banner
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('banners');
CREATE TRIGGER price_config_version AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON price_config
  FOR EACH STATEMENT EXECUTE FUNCTION renew_setting_version('spreads');

GRANT SELECT, INSERT, UPDATE ON setting_version TO dgs_app;
