import { z } from 'zod';
import assert from 'node:assert/strict';
import type { ClusterStep } from '../cluster.types.ts';

const versionWire = z.object({ serverVersion: z.object({ gitVersion: z.string() }) });
const namedWire = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }) })),
});

/** Checks that the cluster has what the demo needs, before anything is built. */
export const checkCluster: ClusterStep = {
  title: 'The cluster',
  async run({ kubectl, helm, options }) {
    const { serverVersion } = await kubectl.read(['version'], versionWire);
    const nodes = await kubectl.read(['get', 'nodes'], namedWire);
    const helmVersion = await helm(['version', '--short']);
    const found = await kubectl.read(['get', 'ingressclasses'], namedWire);
    const classes = found.items.map(({ metadata }) => metadata.name);
    const variables = {
      publicClass: 'PUBLIC_INGRESS_CLASS',
      internalClass: 'INTERNAL_INGRESS_CLASS',
    };
    for (const name of ['publicClass', 'internalClass'] as const) {
      const there = classes.length === 0 ? 'none' : classes.join(', ');
      assert(
        classes.includes(options[name]),
        `there is no IngressClass ${options[name]}: set ${variables[name]} (there: ${there})`,
      );
    }
    return [
      `Kubernetes ${serverVersion.gitVersion}, ${nodes.items.length} node(s); helm ${helmVersion.trim()}`,
      `IngressClasses: ${options.publicClass} for customers and operators,` +
        ` ${options.internalClass} for accounting`,
    ];
  },
};
