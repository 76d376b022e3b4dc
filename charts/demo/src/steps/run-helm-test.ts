import assert from 'node:assert/strict';
import type { ClusterStep } from '../cluster.types.ts';
import { service } from '../release.ts';

/** Runs `goldctl check` inside the cluster, with a separate Role. */
export const runHelmTest: ClusterStep = {
  title: 'helm test: goldctl check, in the cluster',
  async run({ helm }) {
    const printed = await helm(['test', service, '--logs', '--timeout=5m']);
    const summary = /^\d+ checks: .*$/mu.exec(printed)?.[0];
    assert(summary !== undefined, `goldctl check printed no summary: ${printed}`);
    return [summary];
  },
};
