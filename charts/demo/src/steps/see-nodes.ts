import assert from 'node:assert/strict';
import type { ClusterStep } from '../cluster.types.ts';
import { listNodes, stayingPods, unspread } from '../hold/pods.ts';
import { components } from '../release.ts';

/** On a cluster of several nodes, what has several pods is on several of them. */
export const seeNodes: ClusterStep = {
  title: 'The nodes',
  async run(context) {
    const nodes = (await listNodes(context)).filter(({ isReady }) => isReady);
    if (nodes.length === 1) return ['one node: nothing to be spread over'];
    const pods = await stayingPods(context);
    const together = unspread(pods);
    assert(together.length === 0, `all pods on one node: ${together.join(', ')}`);
    return components.map((component) => {
      const own = pods.filter((pod) => pod.component === component);
      return `${component}: ${own.map(({ node }) => node).join(', ')}`;
    });
  },
};
