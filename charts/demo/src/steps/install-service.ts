import assert from 'node:assert/strict';
import type { ClusterStep } from '../cluster.types.ts';
import { countByComponent, listPods } from '../list-pods.ts';
import { readIngressEndpoints } from '../read-ingress-endpoints.ts';
import { processPods } from '../release.ts';
import { upgradeService } from '../upgrade-service.ts';

/** The chart: helm waits until every pod is ready, and so for the migrations. */
export const installService: ClusterStep = {
  title: 'The service',
  async run(context) {
    context.saveState('roll', 'none');
    await upgradeService(context);
    const pods = await listPods(context, processPods);
    const staying = pods.filter(({ isLeaving }) => !isLeaving);
    const unready = staying.filter(({ isReady }) => !isReady).map(({ name }) => name);
    assert(unready.length === 0, `not ready: ${unready.join(', ')}`);
    const ingressEndpoints = await readIngressEndpoints(context);
    context.saveState('ingressEndpoints', ingressEndpoints);
    return [
      `ready: ${countByComponent(staying)}; the migrations are applied`,
      ...Object.values(ingressEndpoints).map(
        ({ host, address, port }) => `${host} at ${address}:${port}`,
      ),
    ];
  },
};
