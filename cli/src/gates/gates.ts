import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { componentSelector, createKubeClient, type KubeClient } from '../clients/kube.ts';
import type { Context } from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';

/** A switch that operators open and close while the service runs. */
export interface Gate {
  /** Its name on the command line. */
  readonly name: string;
  /** The setting's name: its file, or its key in the cluster's ConfigMap. */
  readonly setting: string;
  readonly about: string;
  /** The values that open and close it. */
  readonly open: string;
  readonly closed: string;
  /** Reads a value as the service does; a missing one never opens the gate. */
  isOpenAt(value: string): boolean;
}

const isTrueInAnyCase = (value: string): boolean => value.toLowerCase() === 'true';

export const gates: readonly Gate[] = [
  {
    name: 'sell',
    setting: 'DIGITAL_SELL_ENABLED',
    about: 'customers may sell gold',
    open: 'true',
    closed: 'false',
    isOpenAt: isTrueInAnyCase,
  },
  {
    name: 'payment',
    setting: 'DIGITAL_GOLD_PAYMENT_ENABLED',
    about: 'customers may buy gold, if nothing blocks readiness',
    open: 'true',
    closed: 'false',
    isOpenAt: isTrueInAnyCase,
  },
  {
    name: 'accounting-posting',
    setting: 'ACCOUNTING_AUTO_POSTING_ENABLED',
    about: 'the ledger may be posted to, once there is a posting engine',
    open: 'true',
    closed: 'false',
    isOpenAt: (value) => value === 'true',
  },
  {
    name: 'accounting-write',
    setting: 'ACCOUNTING_PORTAL_MODE',
    about: 'accounting staff may write',
    open: 'readwrite',
    closed: 'readonly',
    isOpenAt: (value) => value === 'readwrite',
  },
];

/** The state of a gate. */
export interface GateState {
  readonly gate: string;
  readonly setting: string;
  readonly isOpen: boolean;
  /** Null where the setting is missing. */
  readonly value: string | null;
}

/** Returns the state that a setting's value gives a gate. One newline at its end is ignored. */
export const stateOf = (gate: Gate, raw: string | undefined): GateState => {
  const value = raw?.replace(/\n$/u, '');
  return {
    gate: gate.name,
    setting: gate.setting,
    isOpen: value !== undefined && gate.isOpenAt(value),
    value: value ?? null,
  };
};

/** The settings of a stack or a release. */
interface GateSettings {
  /** For people: the folder, or the ConfigMap. */
  readonly place: string;
  /** Returns all values as they are stored, by name. */
  read(): Promise<Readonly<Record<string, string | undefined>>>;
  write(name: string, value: string): Promise<void>;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const inFolder = (folder: string, names: readonly string[]): GateSettings => {
  const readOne = (name: string): string | undefined => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    place: folder,
    read: async () => Object.fromEntries(names.map((name) => [name, readOne(name)])),
    write: async (name, value) => {
      // Aside and renamed: no process ever reads half of it, which it would take for closed.
      const staging = join(folder, `.${name}.${process.pid}`);
      try {
        writeFileSync(staging, `${value}\n`);
        renameSync(staging, join(folder, name));
      } catch (error) {
        throw new CliError(`${name} can't be written: ${messageOf(error)}`, exitCodes.failed);
      }
    },
  };
};

const findSettingsMap = async (client: KubeClient): Promise<string> => {
  const [found, ...others] = await client.listConfigMaps(componentSelector('settings'));
  if (found !== undefined && others.length === 0) return found.name;
  const where = `in namespace ${client.namespace}`;
  throw found === undefined
    ? new CliError(
        `there is no settings ConfigMap ${where}`,
        exitCodes.failed,
        '--namespace names the namespace of the release.',
      )
    : new CliError(`there is more than one settings ConfigMap ${where}`, exitCodes.failed);
};

const inCluster = async (client: KubeClient): Promise<GateSettings> => {
  const name = await findSettingsMap(client);
  return {
    place: `ConfigMap ${name} in namespace ${client.namespace} (${client.description})`,
    read: async () => (await client.readConfigMap(name)).data,
    write: async (key, value) => {
      await client.patchConfigMapValue(name, key, value);
    },
  };
};

/**
 * Opens the settings of a local stack (files of its folder), or of a release (its ConfigMap).
 * @throws CliError unreachable, denied; failed where there is no such ConfigMap.
 */
export const openGateSettings = async (
  deps: CliDeps,
  context: Context,
  names: readonly string[],
): Promise<GateSettings> =>
  context.kind === 'local'
    ? inFolder(readEndpoints(context).settingsDir, names)
    : inCluster(await createKubeClient(deps, context));
