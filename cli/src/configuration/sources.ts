import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import {
  componentSelector,
  createKubeClient,
  type KubeClient,
  type KubeDeployment,
} from '../clients/kube.ts';
import type { Context, LocalContext } from '../contexts/context.ts';
import { readStackEnvironment } from '../contexts/local-stack.ts';

/** A value that a process gets, and its source. */
interface Given {
  /** The value. Undefined if it is in a Secret, which is never read. */
  readonly value: string | undefined;
  readonly source: string;
}

/** The values that a process is given, by the names of their variables. */
export interface Sources {
  readonly place: string;
  readonly given: ReadonlyMap<string, Given>;
  /** The Secrets whose every key becomes a variable. The names of those variables are not known. */
  readonly wholeSecrets: readonly string[];
}

const ownLine = /^# (?<name>[A-Z][A-Z0-9_]*)=(?<value>.*)$/u;
const ownTitle = /^# (?<process>[a-z]+) besides:$/u;

/** Reads the variables of one process of the local stack. The file has them as comments. */
const ownOf = ({ home }: LocalContext, process: string): [string, string][] => {
  let section = '';
  return readFileSync(join(home, 'env'), 'utf8')
    .split('\n')
    .flatMap((line): [string, string][] => {
      section = ownTitle.exec(line)?.groups?.['process'] ?? section;
      const { name, value } = ownLine.exec(line)?.groups ?? {};
      return section !== process || name === undefined
        ? []
        : [[name, (value ?? '').replaceAll(/^'|'$/gu, '')]];
    });
};

const ofStack = (context: LocalContext, process: string): Sources => {
  const shared = Object.entries(readStackEnvironment(context));
  const source = join(context.home, 'env');
  return {
    place: source,
    given: new Map(
      [...shared, ...ownOf(context, process)].map(([name, value]) => [name, { value, source }]),
    ),
    wholeSecrets: [],
  };
};

const readMaps = async (
  client: KubeClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> =>
  new Map(
    await Promise.all(
      [...new Set(names)].map(async (name) => {
        // A ConfigMap that is marked as optional may be missing.
        const found = await client.findConfigMap(name);
        const data = found === undefined ? {} : (await client.readConfigMap(name)).data;
        return [name, data] as const;
      }),
    ),
  );

const namesOfMaps = ({ variables, variablesFrom }: KubeDeployment): string[] =>
  [...variables.map(({ from }) => from), ...variablesFrom].flatMap((object) =>
    object?.kind === 'ConfigMap' ? [object.name] : [],
  );

const ofRelease = async (client: KubeClient, process: string): Promise<Sources> => {
  const [deployment] = await client.listDeployments(componentSelector(process));
  if (deployment === undefined) {
    throw new CliError(
      `there is no deployment of ${process} in namespace ${client.namespace}`,
      exitCodes.failed,
      '--namespace names the namespace of the release.',
    );
  }
  const maps = await readMaps(client, namesOfMaps(deployment));
  const given = new Map<string, Given>();
  for (const { kind, name } of deployment.variablesFrom) {
    if (kind === 'Secret') continue;
    const source = `ConfigMap ${name}`;
    for (const [key, value] of Object.entries(maps.get(name) ?? {}))
      given.set(key, { value, source });
  }
  for (const { name, value, from, key = '' } of deployment.variables) {
    const isMap = from?.kind === 'ConfigMap';
    given.set(name, {
      value: isMap ? maps.get(from.name)?.[key] : from === undefined ? (value ?? '') : undefined,
      source:
        from === undefined
          ? `deployment ${deployment.name}`
          : `${from.kind} ${from.name}, key ${key}`,
    });
  }
  return {
    place: `deployment ${deployment.name} in namespace ${client.namespace}`,
    given,
    wholeSecrets: deployment.variablesFrom.flatMap(({ kind, name }) =>
      kind === 'Secret' ? [name] : [],
    ),
  };
};

const ofThisPod = ({ env }: CliDeps): Sources => ({
  place: 'the environment of this pod',
  given: new Map(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, { value, source: 'environment' }]],
    ),
  ),
  wholeSecrets: [],
});

/** Finds the values that a process is given, without reading a Secret. */
export const findSources = async (
  deps: CliDeps,
  context: Context,
  process: string,
): Promise<Sources> => {
  if (context.kind === 'local') return ofStack(context, process);
  if (context.kind === 'pod') return ofThisPod(deps);
  return ofRelease(await createKubeClient(deps, context), process);
};
