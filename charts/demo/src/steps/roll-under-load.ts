import assert from 'node:assert/strict';
import type { ClusterStep, DemoContext } from '../cluster.types.ts';
import { countByComponent, listPods } from '../list-pods.ts';
import { countLoad, describeLoad } from '../load/describe-load.ts';
import { serviceLoad } from '../load/service-load.ts';
import { startLoad } from '../load/start-load.ts';
import { processPods } from '../release.ts';
import { upgradeService } from '../upgrade-service.ts';
import { waitForRateLimit } from '../wait-for-rate-limit.ts';
import { waitUntil } from '../wait-until.ts';

/** Load before the update begins and after the last old pod has gone. */
const besideMs = 3000;

/** Replaces every pod, and waits until the last old one has gone. */
export const replaceAll = async (context: DemoContext): Promise<string> => {
  const before = await listPods(context, processPods);
  const old = new Set(before.map(({ uid }) => uid));
  context.saveState('roll', Date.now().toString(36));
  await upgradeService(context);
  await waitUntil(context, {
    isThere: async () => {
      const pods = await listPods(context, processPods);
      return pods.every(({ uid, isReady }) => !old.has(uid) && isReady);
    },
    everyMs: 1000,
    seconds: 180,
    otherwise: 'pods of before the update are still there',
  });
  return countByComponent(before);
};

/** A rolling update while customers, operators and a gateway keep sending requests. */
export const rollUnderLoad: ClusterStep = {
  title: 'A rolling update under constant load, through the ingress',
  async run(context) {
    await waitForRateLimit(context, context.readState('ingressEndpoints').customer, 90);
    const load = startLoad(await serviceLoad(context));
    const begun = performance.now();
    let replaced: string;
    let reports: Awaited<ReturnType<typeof load.stop>> = [];
    try {
      await context.sleep(besideMs);
      replaced = await replaceAll(context);
      await context.sleep(besideMs);
    } finally {
      reports = await load.stop();
    }
    const { sent, failed } = countLoad(reports);
    const lines = describeLoad(reports);
    assert(failed === 0, `${failed} of ${sent} requests failed:\n    ${lines.join('\n    ')}`);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    return [`replaced: ${replaced}; ${sent} requests in ${seconds} s, not one failed`, ...lines];
  },
};
