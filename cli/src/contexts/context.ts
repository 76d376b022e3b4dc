import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import type { GlobalOptions } from '../global-options.ts';
import { readDefaults } from './defaults.ts';

/** A stack on this machine, as `make up` leaves it. */
export interface LocalContext {
  readonly kind: 'local';
  readonly repository: string;
  /** The stack's folder: `.dev`, or what STACK_HOME names. */
  readonly home: string;
}

/** The pod of a release that goldctl itself runs in, with the environment of its process. */
export interface PodContext {
  readonly kind: 'pod';
  readonly repository: string;
}

/** A release in a cluster. */
export interface KubeContext {
  readonly kind: 'kube';
  /** The context of the kubeconfig, or undefined inside the cluster. */
  readonly context: string | undefined;
  /** If undefined, the namespace of that context, or of the pod, is used. */
  readonly namespace: string | undefined;
  /** Uses the service account of the pod that goldctl runs in. */
  readonly inCluster: boolean;
}

export type Context = LocalContext | PodContext | KubeContext;

/** The operator command of the service, below the folder that goldctl belongs to. */
const operatorCommand = join('backend', 'dist', 'operator', 'main.js');

/** The image has the built service and no source. */
const isImage = ({ repository }: CliDeps): boolean =>
  existsSync(join(repository, operatorCommand)) && !existsSync(join(repository, 'cli', 'src'));

const stackHome = ({ env, repository }: CliDeps): string => {
  const given = env['STACK_HOME'] ?? '';
  const folder = given === '' ? '.dev' : given;
  return isAbsolute(folder) ? folder : join(repository, folder);
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the paths of the kubeconfig's files, which need not be there. */
export const kubeConfigFiles = (env: Environment): string[] => {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? named : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
};

/** Reads the name as kubectl writes it, without the library, which takes a while to load. */
const currentKubeContext = (env: Environment): string | undefined => {
  for (const path of kubeConfigFiles(env)) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const found = /(?:^|[{,]\s*)"?current-context"?:[ \t]*["']?(?<name>[^"'\s,}]+)/mu.exec(text);
    const name = found?.groups?.['name'];
    if (name !== undefined) return name;
  }
  return undefined;
};

const told = new WeakSet<CliDeps>();

/** Reports once which context a command uses, if none was named. */
const tell = (deps: CliDeps, line: string): void => {
  if (!told.has(deps)) deps.stderr(`${line}\n`);
  told.add(deps);
};

/** Returns the name of the context: the given or saved context, else the nearest that exists. */
const nameOf = (deps: CliDeps, given: string | undefined): string | undefined => {
  if (given !== undefined) return given;
  const saved = readDefaults(deps).context;
  if (saved !== undefined) {
    tell(deps, `context ${saved} (saved by "goldctl context use")`);
    return saved;
  }
  if (existsSync(join(stackHome(deps), 'endpoints.json'))) return 'local';
  if (isImage(deps)) return 'pod';
  const current = currentKubeContext(deps.env);
  if (current !== undefined) tell(deps, `context ${current} (current in the kubeconfig)`);
  return current;
};

/**
 * Resolves the options to the stack or release of a command: `--context`, the saved default, a
 * local stack that is there, the pod that goldctl runs in, the kubeconfig's current context.
 */
export const resolveContext = (deps: CliDeps, options: GlobalOptions): Context => {
  const { inCluster } = options;
  const { repository } = deps;
  if (inCluster) {
    return { kind: 'kube', context: undefined, namespace: options.namespace, inCluster };
  }
  const name = nameOf(deps, options.context) ?? 'local';
  if (name === 'local') return { kind: 'local', repository, home: stackHome(deps) };
  if (name === 'pod') return { kind: 'pod', repository };
  const saved = readDefaults(deps);
  // A saved namespace is of the context that it was saved with.
  const namespace = options.namespace ?? (saved.context === name ? saved.namespace : undefined);
  return { kind: 'kube', context: name, namespace, inCluster };
};
