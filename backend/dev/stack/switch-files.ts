import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The switches (contract: conventions > Switches), with their values in a new local stack. */
export const developmentSwitches = {
  DIGITAL_SELL_ENABLED: 'true',
  DIGITAL_GOLD_PAYMENT_ENABLED: 'true',
  ACCOUNTING_AUTO_POSTING_ENABLED: 'false',
  ACCOUNTING_PORTAL_MODE: 'readonly',
} as const;

export type SwitchName = keyof typeof developmentSwitches;

/** Writes the missing files. Existing files stay, so a switch that was turned off stays off. */
export const writeMissingSwitches = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(developmentSwitches)) {
    const file = join(folder, name);
    if (!existsSync(file)) writeFileSync(file, `${value}\n`);
  }
};
