import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The switches, by the names of their files. */
export const switchNames = [
  'DIGITAL_SELL_ENABLED',
  'DIGITAL_GOLD_PAYMENT_ENABLED',
  'ACCOUNTING_AUTO_POSTING_ENABLED',
  'ACCOUNTING_PORTAL_MODE',
] as const;
export type SwitchName = (typeof switchNames)[number];

export interface Switches {
  /**
   * Returns the value at this moment, or undefined, which is off, when it is missing or unreadable.
   */
  read(name: SwitchName): Promise<string | undefined>;
  /** Returns true for `true` in any case. `1`, `yes` and the empty text are off. */
  isOn(name: SwitchName): Promise<boolean>;
}

/**
 * Reads a switch on every call: from the file of its name where a folder is given (a mounted
 * ConfigMap, so that a switch needs no restart), else from the environment. One newline at the end
 * of the file is not part of the value. Nothing else is trimmed.
 */
export const createSwitches = (options: {
  readonly settingsDir: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Switches => {
  const { settingsDir, env } = options;
  const read = async (name: SwitchName): Promise<string | undefined> => {
    if (settingsDir === undefined) return env[name];
    try {
      // Synchronous: a few bytes from memory cost less than the thread pool.
      return readFileSync(join(settingsDir, name), 'utf8').replace(/\n$/u, '');
    } catch {
      return undefined;
    }
  };
  return {
    read,
    isOn: async (name) => (await read(name))?.toLowerCase() === 'true',
  };
};

/** Reads the current value of every switch. Null means that it is missing or unreadable. */
export const readSwitches = async (
  switches: Pick<Switches, 'read'>,
): Promise<Readonly<Record<string, string | null>>> => {
  const read = switchNames.map(
    async (name) => [name, (await switches.read(name)) ?? null] as const,
  );
  return Object.fromEntries(await Promise.all(read));
};
