import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliDeps } from '../cli-deps.ts';
import { CliError } from '../cli-error.ts';
import type { LocalContext } from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';
import type { GlobalOptions } from '../global-options.ts';
import { exitCodes } from '../io/exit-codes.ts';
import type { CheckTarget } from './check-target.ts';
import {
  askReadiness,
  processNames,
  type ProcessName,
  type ProcessProbe,
} from './process-probe.ts';

const sectionStart = /^# (?<process>\w+) besides:$/u;
const internalPort = /^# INTERNAL_PORT=(?<port>\d{1,5})$/u;

/**
 * The internal port of each process. `make up` writes what a process has of its own as comments
 * of the stack's environment file, below the process's name.
 */
export const readInternalPorts = (text: string): ReadonlyMap<string, number> => {
  const ports = new Map<string, number>();
  let process = '';
  for (const line of text.split('\n')) {
    process = sectionStart.exec(line)?.groups?.['process'] ?? process;
    const port = internalPort.exec(line)?.groups?.['port'];
    if (port !== undefined) ports.set(process, Number(port));
  }
  return ports;
};

const readEnvironmentFile = ({ home }: LocalContext): string => {
  try {
    return readFileSync(join(home, 'env'), 'utf8');
  } catch {
    throw new CliError(
      `there is no local stack: ${join(home, 'env')} can't be read`,
      exitCodes.unreachable,
      '"make up" starts one; --context names a cluster instead.',
    );
  }
};

const askProcess = async (
  process: ProcessName,
  port: number | undefined,
  signal: AbortSignal,
): Promise<ProcessProbe> =>
  port === undefined
    ? { process, state: 'silent', needs: {}, detail: 'The stack names no port of it.' }
    : askReadiness(process, `http://127.0.0.1:${port}`, signal);

/** The stack that `make up` started. @throws CliError unreachable when nothing of it answers. */
export const openLocalTarget = async (
  deps: CliDeps,
  context: LocalContext,
  options: GlobalOptions,
): Promise<CheckTarget> => {
  const endpoints = readEndpoints(context);
  const ports = readInternalPorts(readEnvironmentFile(context));
  const probes = await Promise.all(
    processNames.map((name) => askProcess(name, ports.get(name), deps.signal)),
  );
  if (probes.every(({ state }) => state === 'silent')) {
    throw new CliError(
      `nothing of the stack in ${context.home} answers`,
      exitCodes.unreachable,
      '"make up" starts it.',
    );
  }
  const { customer, accounting } = endpoints;
  const admin = options.adminUrl ?? endpoints.admin;
  return {
    description: `the stack in ${context.home}`,
    context,
    healthRoutes: [
      { process: 'customer', url: new URL('/v1/health', customer) },
      { process: 'admin', url: new URL('/v1/health', admin) },
      { process: 'accounting', url: new URL('/api/v1/accounting/health', accounting) },
    ],
    probes: async () => probes,
    clusterRecords: async () => [],
  };
};
