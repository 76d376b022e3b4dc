import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { componentSelector, createKubeClient, type KubeClient } from '../clients/kube.ts';
import type { Context } from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';
import { localReplicas, processNames, replicasOf, type Replica } from './replicas.ts';

/** A change of a gate, with its author and reason. */
export interface GateChange {
  readonly gate: string;
  readonly setting: string;
  readonly value: string;
  readonly state: 'open' | 'closed';
  readonly by: string;
  readonly reason: string;
  readonly at: Date;
}

/** The settings of a stack or a release. */
export interface GateSettings {
  /** Names the folder or the ConfigMap in messages to people. */
  readonly place: string;
  /** The writer if it is known, such as the user of a kubeconfig. */
  readonly user: string | undefined;
  /** Returns all stored values, by name. */
  read(): Promise<Readonly<Record<string, string | undefined>>>;
  write(change: GateChange): Promise<void>;
  /** Records an event of the namespace about a change. */
  announce(change: GateChange): Promise<void>;
  /** The processes that read the settings now. */
  replicas(): Promise<readonly Replica[]>;
  /**
   * Makes the cluster bring the settings to all processes at once, or to the named processes. Returns
   * the names of these processes.
   */
  hurry(at: Date, names?: readonly string[]): Promise<readonly string[]>;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const nothing = async (): Promise<void> => {};

const inFolder = (
  folder: string,
  names: readonly string[],
  replicas: GateSettings['replicas'] = async () => [],
): GateSettings => {
  const readOne = (name: string): string | undefined => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    place: folder,
    user: undefined,
    announce: nothing,
    hurry: async () => [],
    replicas,
    read: async () => Object.fromEntries(names.map((name) => [name, readOne(name)])),
    write: async ({ setting: name, value }) => {
      // The file is renamed into place, because a process reads a partial value as closed.
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

/** Reads the settings of a pod. Only the cluster writes their folder, from the ConfigMap. */
const inPod = (folder: string, names: readonly string[]): GateSettings => ({
  ...inFolder(folder, names),
  write: async () => {
    throw new CliError(
      'a gate is changed in its ConfigMap, which a pod may not write',
      exitCodes.denied,
      'Run goldctl outside, with --context and --namespace.',
    );
  },
});

const settingsFolder = ({ env }: CliDeps): string => {
  const folder = env['SETTINGS_DIR'] ?? '';
  if (folder !== '') return folder;
  throw new CliError('SETTINGS_DIR names no folder in this pod', exitCodes.failed);
};

/** The volume by which the chart mounts the settings into every pod. */
const settingsVolume = 'settings';

/** Finds the ConfigMap that the pods mount. It may have any labels and any creator. */
const findSettingsMap = async (client: KubeClient): Promise<string> => {
  const deployments = await client.listDeployments(componentSelector(...processNames));
  const mounted = deployments.flatMap(
    ({ configMapVolumes }) => configMapVolumes[settingsVolume] ?? [],
  );
  const [found, ...others] = new Set(mounted);
  if (found !== undefined && others.length === 0) return found;
  const where = `in namespace ${client.namespace}`;
  throw found === undefined
    ? new CliError(
        `no deployment of the service mounts a settings ConfigMap ${where}`,
        exitCodes.failed,
        '--namespace names the namespace of the release.',
      )
    : new CliError(
        `the deployments mount more than one settings ConfigMap ${where}`,
        exitCodes.failed,
      );
};

const annotationOf = ({ gate, state, by, reason, at }: GateChange) => ({
  [`goldctl.digital-gold/${gate}`]: JSON.stringify({ state, by, reason, at: at.toISOString() }),
});

const podNames = async (client: KubeClient): Promise<string[]> => {
  const pods = await client.listPods(componentSelector(...processNames));
  return pods.map(({ name }) => name);
};

/** Annotates pods, which makes their nodes update the pods' volumes at once. */
const wakePods = async (
  client: KubeClient,
  at: Date,
  given?: readonly string[],
): Promise<readonly string[]> => {
  const names = given ?? (await podNames(client));
  const annotations = { 'goldctl.digital-gold/settings-changed-at': at.toISOString() };
  await Promise.all(names.map((name) => client.annotatePod(name, annotations)));
  return names;
};

const inCluster = async (deps: CliDeps, client: KubeClient): Promise<GateSettings> => {
  const name = await findSettingsMap(client);
  return {
    place: `ConfigMap ${name} in namespace ${client.namespace} (${client.description})`,
    user: client.user,
    read: async () => (await client.readConfigMap(name)).data,
    write: async (change) => {
      await client.patchConfigMapValue(name, change.setting, change.value, annotationOf(change));
    },
    announce: ({ gate, state, by, reason, at }) =>
      client.createEvent({
        configMap: name,
        reason: state === 'open' ? 'GateOpened' : 'GateClosed',
        message: `${gate} is ${state}, by ${by}: ${reason}`,
        at,
      }),
    replicas: () => replicasOf(deps, client),
    hurry: (at, names) => wakePods(client, at, names),
  };
};

/**
 * Opens the settings of a local stack (files of its folder), or of a release (its ConfigMap).
 * @throws CliError unreachable, denied, or failed if there is no such ConfigMap.
 */
export const openGateSettings = async (
  deps: CliDeps,
  context: Context,
  names: readonly string[],
): Promise<GateSettings> => {
  if (context.kind === 'local') {
    const { settingsDir, internal } = readEndpoints(context);
    return inFolder(settingsDir, names, () => localReplicas(deps, internal));
  }
  if (context.kind === 'pod') return inPod(settingsFolder(deps), names);
  return inCluster(deps, await createKubeClient(deps, context));
};
