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
   * Returns the current value. Returns undefined, which means off, if it is missing or unreadable.
   */
  read(name: SwitchName): Promise<string | undefined>;
  /** Returns true for `true` in any case. `1`, `yes` and the empty text are off. */
  isOn(name: SwitchName): Promise<boolean>;
}

/**
 * Creates the switches, which are read on every call. If a folder is given, such as a mounted
 * ConfigMap, a switch is the file of its name, so that its change needs no restart. Otherwise it is
 * a variable of the environment. One newline at the end of a file is not part of the value. Nothing
 * else is trimmed.
 */
export const createSwitches = (options: {
  readonly settingsDir: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Switches => {
  const { settingsDir, env } = options;
  const read = async (name: SwitchName): Promise<string | undefined> => {
    if (settingsDir === undefined) return env[name];
    try {
      // This read is synchronous, since a few bytes from memory cost less than the thread pool.
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
