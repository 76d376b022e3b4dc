import { randomUUID } from 'node:crypto';
import type { DemoContext } from '../cluster.types.ts';

/**
 * A namespace beside the demo's, whose pods may do everything to the node that they are on: what the
 * cluster itself cannot do to a pod or a node, such as cutting its cable.
 */
const namespace = 'digital-gold-hold';

const podOf = (name: string, node: string, image: string, script: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    nodeName: node,
    hostPID: true,
    hostNetwork: true,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    tolerations: [{ operator: 'Exists' }],
    containers: [
      {
        name: 'node',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['sh', '-ec', script],
        securityContext: { privileged: true, runAsUser: 0 },
      },
    ],
  },
});

/**
 * Drops all traffic of the node except its internal traffic, by a separate nft table. Begins when
 * the node has reported that the script runs.
 */
const cut = (enter: string, seconds: number): string => `
sleep 4
${enter} nft -f - <<'RULES'
table inet hold {
  chain input { type filter hook prerouting priority -400; iif lo accept; drop; }
  chain output { type filter hook output priority -400; oif lo accept; drop; }
  chain forward { type filter hook forward priority -400; drop; }
}
RULES
sleep ${seconds}
${enter} nft delete table inet hold
`;

/** Cuts a node off from the network for a while. Its processes continue, as with a broken cable. */
export const nodeScript = (seconds: number): string =>
  cut('nsenter --target 1 --mount --net', seconds);

/**
 * Cuts a pod off the network. Its peers receive nothing any more, not even the end of a connection.
 */
export const podScript = (uid: string, seconds: number): string => `
pid=
for folder in /proc/[0-9]*; do
  if grep -qE '${uid}|${uid.replaceAll('-', '_')}' "$folder/cgroup" 2>/dev/null; then
    pid=\${folder#/proc/}
    break
  fi
done
[ -n "$pid" ] || { echo 'no process of the pod'; exit 1; }
${cut('nsenter --target 1 --mount nsenter --target "$pid" --net', seconds)}`;

interface NodeWork {
  readonly node: string;
  readonly script: string;
}

/** Starts a script on a node, with all rights there. It runs in the background. */
export const startOnNode = async (
  context: DemoContext,
  { node, script }: NodeWork,
): Promise<{ readonly name: string }> => {
  const { kubectl } = context;
  const { repository, tag } = context.readState('image');
  const name = `hold-${randomUUID().slice(0, 8)}`;
  if ((await kubectl.attempt(['get', 'namespace', namespace])).code !== 0) {
    await kubectl.run(['create', 'namespace', namespace]);
    const privileged = 'pod-security.kubernetes.io/enforce=privileged';
    await kubectl.run(['label', 'namespace', namespace, privileged]);
  }
  const pod = podOf(name, node, `${repository}:${tag}`, script);
  const inNamespace = ['--namespace', namespace];
  await kubectl.run([...inNamespace, 'apply', '--filename', '-'], { stdin: JSON.stringify(pod) });
  const running = ['--for=jsonpath={.status.phase}=Running', '--timeout=60s'];
  await kubectl.run([...inNamespace, 'wait', `pod/${name}`, ...running]);
  return { name };
};

/** Takes the namespace with its pods away. */
export const clearNodeWork = async ({ kubectl }: Pick<DemoContext, 'kubectl'>): Promise<void> => {
  await kubectl.attempt(['delete', 'namespace', namespace, '--wait=false']);
};
