import type { ClusterStep } from '../cluster.types.ts';
import { service } from '../release.ts';

const printedAtMost = 40;

/** `goldctl check` from inside, with a Role of its own. */
export const runHelmTest: ClusterStep = {
  title: 'helm test: goldctl check, in the cluster',
  async run({ helm }) {
    const printed = await helm(['test', service, '--logs', '--timeout=5m']);
    const log = printed.split('\n').filter((line) => line.trim() !== '');
    const from = log.findIndex((line) => line.startsWith('POD LOGS'));
    return log.slice(from + 1).slice(-printedAtMost);
  },
};
