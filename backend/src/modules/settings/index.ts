export { safeAddress } from './banners.ts';
export { createSettings } from './create-settings.ts';
export { createSwitches, type Switches, type SwitchName } from './switches.ts';
export { defaultLimits, type LimitName, type Limits } from './settings.types.ts';
export {
  type LimitsService,
  createSettingCopies,
  type KeepCopy,
  type ReadSetting,
} from './settings.store.ts';
