import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import type { GlobalOptions } from '../global-options.ts';
import { readDefaults } from './defaults.ts';

/** A stack on this machine, which `make up` starts. */
export interface LocalContext {
  readonly kind: 'local';
  readonly repository: string;
  /** The stack's folder, which is STACK_HOME or else `.dev`. */
  readonly home: string;
}

/** The pod of a release in which goldctl runs, with the environment of the pod's process. */
export interface PodContext {
  readonly kind: 'pod';
  readonly repository: string;
}

/** A release in a cluster. */
export interface KubeContext {
  readonly kind: 'kube';
  /** The context of the kubeconfig, or undefined inside the cluster. */
  readonly context: string | undefined;
  /** The namespace. If undefined, that of the context or of the pod is used. */
  readonly namespace: string | undefined;
  /** True if the service account of goldctl's own pod is used. */
  readonly inCluster: boolean;
}

export type Context = LocalContext | PodContext | KubeContext;

/** The path of the service's operator command in the repository or image of goldctl. */
const operatorCommand = join('backend', 'dist', 'operator', 'main.js');

/** Returns true in the image, which has the built service and no source of goldctl. */
const isImage = ({ repository }: CliDeps): boolean =>
  existsSync(join(repository, operatorCommand)) && !existsSync(join(repository, 'cli', 'src'));

const stackHome = ({ env, repository }: CliDeps): string => {
  const given = env['STACK_HOME'] ?? '';
  const folder = given === '' ? '.dev' : given;
  return isAbsolute(folder) ? folder : join(repository, folder);
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the paths of the kubeconfig's files, which may not exist. */
export const kubeConfigFiles = (env: Environment): string[] => {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  return named.length > 0 ? named : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
};

/** Reads the current context by a pattern, because the library of Kubernetes loads slowly. */
const currentKubeContext = (env: Environment): string | undefined => {
  for (const path of kubeConfigFiles(env)) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const found = /(?:^|[{,]\s*)"?current-context"?:[ \t]*["']?(?<name>[^"'\s,}]+)/mu.exec(text);
    const name = found?.groups?.['name'];
    if (name !== undefined) return name;
  }
  return undefined;
};

const reported = new WeakSet<CliDeps>();

/** Prints once which context a command uses, if none was named. */
const report = (deps: CliDeps, line: string): void => {
  if (!reported.has(deps)) deps.stderr(`${line}\n`);
  reported.add(deps);
};

/** Returns the name of the given or saved context, or else of the first context that exists. */
const nameOf = (deps: CliDeps, given: string | undefined): string | undefined => {
  if (given !== undefined) return given;
  const saved = readDefaults(deps).context;
  if (saved !== undefined) {
    report(deps, `context ${saved} (saved by "goldctl context use")`);
    return saved;
  }
  if (existsSync(join(stackHome(deps), 'endpoints.json'))) return 'local';
  if (isImage(deps)) return 'pod';
  const current = currentKubeContext(deps.env);
  if (current !== undefined) report(deps, `context ${current} (current in the kubeconfig)`);
  return current;
};

/**
 * Resolves the options to the stack or release of a command. It is the first of `--context`, the saved
 * default, an existing local stack, goldctl's own pod, and the current context of the kubeconfig.
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
  // A saved namespace applies only to the context with which it was saved.
  const namespace = options.namespace ?? (saved.context === name ? saved.namespace : undefined);
  return { kind: 'kube', context: name, namespace, inCluster };
};
