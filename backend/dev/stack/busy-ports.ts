import { longRunning, type LongRunning } from './environment.ts';
import type { ProcessRecords } from './process-records.ts';
import type { StackOptions } from './stack-options.ts';
import { busyPortMessage, isPortFree, type StackPorts } from './stack-ports.ts';
import { runningPostgresPort } from './stack-servers.ts';
import { waitUntilReady } from './start-server.ts';

const portsOf: Readonly<Record<LongRunning, readonly (keyof StackPorts)[]>> = {
  customer: ['customer', 'customerInternal'],
  admin: ['admin', 'adminInternal'],
  accounting: ['accounting', 'accountingInternal'],
  worker: ['workerInternal'],
  sandbox: ['sandbox'],
};

/** Returns the ports that the stack's own processes hold now. */
const ownPorts = async (options: StackOptions, records: ProcessRecords): Promise<Set<number>> => {
  const own = new Set<number>();
  for (const name of [...longRunning, 'redis']) {
    for (const port of (await records.findAlive(name))?.ports ?? []) own.add(port);
  }
  const postgres = await runningPostgresPort(options);
  if (postgres !== undefined) own.add(postgres);
  return own;
};

/**
 * Waits for a port to become free, since a killed process disappears a little before its ports are
 * free.
 */
const getsFree = (port: number): Promise<boolean> => waitUntilReady(() => isPortFree(port), 500);

/**
 * Returns a line for each port of the stack that a stranger, or another of its processes, uses.
 */
export const findBusyPorts = async (
  options: StackOptions,
  records: ProcessRecords,
): Promise<string[]> => {
  const wanted: (keyof StackPorts)[] = longRunning.flatMap((name) => portsOf[name]);
  if (options.adminUrl === undefined) wanted.push('postgres');
  if (options.redisUrl === undefined) wanted.push('redis');
  const own = await ownPorts(options, records);
  const taken = new Map<number, keyof StackPorts>();
  const lines: string[] = [];
  for (const name of wanted) {
    const port = options.ports[name];
    const other = taken.get(port);
    if (other !== undefined) lines.push(`port ${port} is given to both ${other} and ${name}`);
    taken.set(port, name);
    if (!own.has(port) && !(await getsFree(port))) lines.push(busyPortMessage(name, port));
  }
  return lines;
};
