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
  /** Receives the traces of the service. None are made without it. */
  readonly tracesUrl: string | undefined;
  /** Where `make observe` receives traces. */
  readonly tracesPort: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const given = (env: Environment, name: string): string | undefined => {
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
  const home = given(env, 'STACK_HOME') ?? '.dev';
  const databaseName = given(env, 'STACK_DATABASE') ?? 'digital_gold';
  if (!/^[a-z][a-z0-9_]{0,50}$/u.test(databaseName)) {
    throw new Error('STACK_DATABASE must be lower-case letters, digits and _');
  }
  const [traces, port] = [given(env, 'STACK_TRACES'), given(env, 'TRACES_PORT') ?? '4318'];
  if (!/^\d{1,5}$/u.test(port)) throw new Error('TRACES_PORT must be a port');
  const path = isAbsolute(home) ? resolve(home) : join(repository, home);
  return {
    paths: stackPaths(repository, path),
    ports: readPorts(env),
    adminUrl: given(env, 'DATABASE_URL'),
    redisUrl: given(env, 'REDIS_URL'),
    databaseName,
    tracesUrl: traces === '1' ? `http://127.0.0.1:${port}` : traces,
    tracesPort: Number(port),
  };
};
