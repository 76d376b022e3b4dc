import type { DemoContext } from './cluster.types.ts';
import { listPods } from './list-pods.ts';

const podLines = 40;
const logLines = 8;
const eventLines = 15;
const podsAtMost = 8;
const columns = 240;

/** A heading with the last lines of a text, or nothing for an empty one. */
const section = (heading: string, text: string, count: number): string[] => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return [];
  return [heading, ...lines.slice(-count).map((line) => line.slice(0, columns))];
};

/** The end of the log of each pod that is neither ready nor done. */
const logsOfUnready = async (context: Pick<DemoContext, 'kubectl'>): Promise<string[]> => {
  const pods = await listPods(context, '').catch(() => []);
  const lines: string[] = [];
  for (const { name } of pods.filter((pod) => !pod.isReady && !pod.isDone).slice(0, podsAtMost)) {
    const log = await context.kubectl.attempt(['logs', name, `--tail=${logLines}`]);
    lines.push(...section(`log of ${name}:`, log.stdout, logLines));
  }
  return lines;
};

/** Describes the cluster after a failure: pods, warnings, the end of the logs. */
export const describeTrouble = async (
  context: Pick<DemoContext, 'kubectl'>,
): Promise<readonly string[]> => {
  const { kubectl } = context;
  const pods = await kubectl.attempt(['get', 'pods', '--output', 'wide']);
  const events = await kubectl.attempt([
    'get',
    'events',
    '--field-selector=type=Warning',
    '--sort-by=.lastTimestamp',
  ]);
  return [
    ...section('pods:', pods.stdout, podLines),
    ...section('warnings:', events.stdout, eventLines),
    ...(await logsOfUnready(context)),
  ];
};
