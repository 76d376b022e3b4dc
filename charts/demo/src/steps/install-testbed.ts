import type { ClusterStep } from '../cluster.types.ts';
import { countByComponent, listPods } from '../list-pods.ts';
import { upgradeTestbed } from '../upgrade-testbed.ts';

/** The strictest of Kubernetes' own rules for pods: a pod that breaks them is not let in. */
const podSecurity = 'pod-security.kubernetes.io/enforce=restricted';

/** A namespace of the demo's own, and in it what the service needs around it. */
export const installTestbed: ClusterStep = {
  title: 'The testbed: PostgreSQL, Redis, the sandbox',
  async run(context) {
    const { kubectl, options } = context;
    const { namespace } = options;
    const isThere = (await kubectl.attempt(['get', 'namespace', namespace])).code === 0;
    if (!isThere) {
      await kubectl.run(['create', 'namespace', namespace]);
      await kubectl.run(['label', 'namespace', namespace, 'digital-gold/demo=true', podSecurity]);
    }
    await upgradeTestbed(context, false);
    const pods = await listPods(context, 'app.kubernetes.io/part-of=digital-gold-testbed');
    return [
      `namespace ${namespace}${isThere ? ', which was there' : ''}; pods must be "restricted"`,
      `ready: ${countByComponent(pods)}`,
    ];
  },
};
