import { isAbsolute, join, resolve } from 'node:path';
import { stackPaths, type StackPaths } from './stack-paths.ts';
import { readPorts, type StackPorts } from './stack-ports.ts';

/** The options of a stack, read from the environment. */
export interface StackOptions {
  readonly paths: StackPaths;
  readonly ports: StackPorts;
  /** An administrator's connection to a running PostgreSQL, instead of an embedded one. */
  readonly adminUrl: string | undefined;
  /** A running Redis. Without it the stack starts its own. */
  readonly redisUrl: string | undefined;
  readonly databaseName: string;
  /** The address that receives the service's traces. Without it, no traces are made. */
  readonly tracesUrl: string | undefined;
  /** The port on which `make observe` receives traces. */
  readonly tracesPort: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const textOf = (env: Environment, name: string): string | undefined => {
  const text = env[name] ?? '';
  return text === '' ? undefined : text;
};

/**
 * Reads the options. `STACK_HOME` (a folder, `.dev` unless given) and `STACK_DATABASE` separate a
 * second stack from the first one. `STACK_TRACES` is the address that receives its traces, if it
 * sends any. `1` means `make observe`, which receives them on `TRACES_PORT`.
 * @throws Error of one line that says what is wrong.
 */
export const readStackOptions = (repository: string, env: Environment): StackOptions => {
  const home = textOf(env, 'STACK_HOME') ?? '.dev';
  const databaseName = textOf(env, 'STACK_DATABASE') ?? 'digital_gold';
  if (!/^[a-z][a-z0-9_]{0,50}$/u.test(databaseName)) {
    throw new Error('STACK_DATABASE must be lower-case letters, digits and _');
  }
  const [traces, port] = [textOf(env, 'STACK_TRACES'), textOf(env, 'TRACES_PORT') ?? '4318'];
  if (!/^\d{1,5}$/u.test(port)) throw new Error('TRACES_PORT must be a port');
  const path = isAbsolute(home) ? resolve(home) : join(repository, home);
  return {
    paths: stackPaths(repository, path),
    ports: readPorts(env),
    adminUrl: textOf(env, 'DATABASE_URL'),
    redisUrl: textOf(env, 'REDIS_URL'),
    databaseName,
    tracesUrl: traces === '1' ? `http://127.0.0.1:${port}` : traces,
    tracesPort: Number(port),
  };
};
