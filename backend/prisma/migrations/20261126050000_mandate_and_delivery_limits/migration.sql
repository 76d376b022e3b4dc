-- The most that one debit of a mandate may be, and what a customer may have on its way that is paid
-- at the door. The defaults are for versions that do not know the columns.
ALTER TABLE "limits_setting" ADD COLUMN     "mandate_max_paise" BIGINT NOT NULL DEFAULT 1500000,
ADD COLUMN     "max_open_delivery_paise" BIGINT NOT NULL DEFAULT 100000000;

ALTER TABLE limits_setting ADD CONSTRAINT limits_setting_added_check
  CHECK (mandate_max_paise > 0 AND max_open_delivery_paise >= 0);
