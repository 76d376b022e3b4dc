import type { ClusterWorld } from './cluster.types.ts';
import { processPods } from './release.ts';

const logLines = 8;
const eventLines = 15;

const lastOf = (text: string, count: number): string[] => text.trimEnd().split('\n').slice(-count);

/** What the cluster says when something went wrong: pods, warnings, the end of the logs. */
export const describeTrouble = async ({
  kubectl,
}: Pick<ClusterWorld, 'kubectl'>): Promise<readonly string[]> => {
  const pods = await kubectl.attempt(['get', 'pods', '--output', 'wide']);
  const events = await kubectl.attempt([
    'get',
    'events',
    '--field-selector=type=Warning',
    '--sort-by=.lastTimestamp',
  ]);
  const logs = await kubectl.attempt([
    'logs',
    `--selector=${processPods}`,
    '--prefix',
    `--tail=${logLines}`,
    '--max-log-requests=20',
  ]);
  return [
    'pods:',
    ...lastOf(pods.stdout, 40),
    'warnings:',
    ...lastOf(events.stdout, eventLines),
    'logs:',
    ...lastOf(logs.stdout, 60),
  ];
};
