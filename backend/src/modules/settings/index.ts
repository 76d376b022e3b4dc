export { bannerView, presentBanner, safeAddress } from './banners.ts';
export { createSettings, type Settings } from './create-settings.ts';
export { limitsView, presentLimits } from './settings.schemas.ts';
export {
  createSwitches,
  readSwitches,
  switchNames,
  type Switches,
  type SwitchName,
} from './switches.ts';
export { defaultLimits, type LimitName, type Limits } from './settings.types.ts';
export {
  type LimitsService,
  createSettingCopies,
  readSettingVersions,
  type CacheSetting,
  type ReadSetting,
  type SettingVersions,
} from './settings.store.ts';
