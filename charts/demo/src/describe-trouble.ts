import type { ClusterWorld } from './cluster.types.ts';
import { listPods } from './list-pods.ts';

const logLines = 8;
const eventLines = 15;
const podsAtMost = 8;
const columns = 240;

const lastOf = (text: string, count: number): string[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => line.slice(0, columns));

/** The end of the log of each pod that is neither ready nor done. */
const logsOfUnready = async (world: Pick<ClusterWorld, 'kubectl'>): Promise<string[]> => {
  const pods = await listPods(world, '').catch(() => []);
  const lines: string[] = [];
  for (const { name } of pods.filter((pod) => !pod.isReady && !pod.isDone).slice(0, podsAtMost)) {
    const log = await world.kubectl.attempt(['logs', name, `--tail=${logLines}`]);
    lines.push(`log of ${name}:`, ...lastOf(log.stdout, logLines));
  }
  return lines;
};

/** What the cluster says when something went wrong: pods, warnings, the end of the logs. */
export const describeTrouble = async (
  world: Pick<ClusterWorld, 'kubectl'>,
): Promise<readonly string[]> => {
  const { kubectl } = world;
  const pods = await kubectl.attempt(['get', 'pods', '--output', 'wide']);
  const events = await kubectl.attempt([
    'get',
    'events',
    '--field-selector=type=Warning',
    '--sort-by=.lastTimestamp',
  ]);
  return [
    'pods:',
    ...lastOf(pods.stdout, 40),
    'warnings:',
    ...lastOf(events.stdout, eventLines),
    ...(await logsOfUnready(world)),
  ];
};
