import assert from 'node:assert/strict';
import type { DemoContext } from '../cluster.types.ts';
import { listPods, type PodState } from '../list-pods.ts';
import { testbed } from '../release.ts';
import { replaceAll } from '../steps/roll-under-load.ts';
import { upgradeService } from '../upgrade-service.ts';
import { waitUntil } from '../wait-until.ts';
import type { Fault } from './hold.types.ts';
import { nodeScript, podScript, startOnNode } from './on-node.ts';
import { takePreviousChart } from './previous-chart.ts';
import { listNodes, stayingPods, unspread, waitForAll } from './pods.ts';

/** The answers of a service whose database does not answer. */
const busy = [/^503\b/u];
const patience = 300;

const onePod = async (context: DemoContext, component: string): Promise<PodState> => {
  const [pod] = await listPods(context, `app.kubernetes.io/component=${component}`);
  assert(pod, `there is no pod of ${component}`);
  return pod;
};

/** Returns a node without the database, which is a single pod, and without the control plane. */
const spareNode = async (context: DemoContext): Promise<string> => {
  const store = await onePod(context, 'postgres');
  const nodes = await listNodes(context);
  const spare = nodes.find(({ name, hasControlPlane }) => name !== store.node && !hasControlPlane);
  assert(spare, 'no node is without the database and the control plane');
  return spare.name;
};

/** Puts the pods back onto all nodes. Says of which processes they had come to be on one. */
const spreadAgain = async (context: DemoContext): Promise<string> => {
  const together = unspread(await stayingPods(context));
  if (together.length === 0) return 'still spread over the nodes';
  await replaceAll(context);
  const left = unspread(await stayingPods(context));
  assert(left.length === 0, `still on one node: ${left.join(', ')}`);
  return `${together.join(', ')} had come to be on one node, a rolling update spread them again`;
};

/** The worker says for how long jobs are due and none is done. */
const standstill = async ({ kubectl }: DemoContext, pod: string): Promise<number> => {
  const script = `fetch('http://127.0.0.1:9090/metrics').then((r) => r.text()).then((text) =>
    console.log(/^job_queue_standstill_seconds(?:{.*})? (.*)$/m.exec(text)[1]))`;
  return Number(await kubectl.run(['exec', pod, '--', 'node', '--eval', script]));
};

const rollingUpdate: Fault = {
  title: 'a rolling update',
  allowed: [],
  run: async (context) => `replaced ${await replaceAll(context)}`,
};

/** Each way replaces what the charts have different. The image and its values are the same. */
const chartUpgrade: Fault = {
  title: 'an upgrade from the chart before',
  allowed: [],
  async run(context) {
    const previous = await takePreviousChart(context.repository);
    try {
      await upgradeService(context, { chart: previous.path });
    } finally {
      previous.remove();
    }
    await waitForAll(context, patience);
    await upgradeService(context);
    await waitForAll(context, patience);
    return `to the chart of ${previous.release}, and from it to this one`;
  },
};

const eachPod: Fault = {
  title: 'each pod deleted, one after another',
  allowed: [],
  async run(context) {
    const pods = await stayingPods(context);
    for (const { name } of pods) {
      await context.kubectl.run(['delete', 'pod', name, '--wait=false']);
      await waitForAll(context, patience);
    }
    return `${pods.length} pods`;
  },
};

const workerKilled: Fault = {
  title: 'a worker killed (SIGKILL)',
  allowed: [],
  async run(context) {
    const workers = (await stayingPods(context)).filter(({ component }) => component === 'worker');
    const [killed, other] = workers;
    assert(killed && other, 'there are not two workers');
    await context.kubectl.run(['delete', 'pod', killed.name, '--grace-period=0', '--force']);
    const recovered = await waitForAll(context, patience);
    const still = await standstill(context, other.name);
    assert(still < 60, `jobs have been standing still for ${still} s`);
    return `a new one ready after ${recovered.toFixed(0)} s, jobs went on at the other`;
  },
};

const drain: Fault = {
  title: 'a node drained',
  allowed: [],
  async run(context) {
    const node = await spareNode(context);
    const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=240s'];
    const selector = '--pod-selector=app.kubernetes.io/part-of=digital-gold';
    await context.kubectl.run(['drain', node, ...options, selector]);
    await waitForAll(context, patience);
    await context.kubectl.run(['uncordon', node]);
    return `${node} back; ${await spreadAgain(context)}`;
  },
};

const lostSeconds = 150;

const nodeLost: Fault = {
  title: `a node lost for ${lostSeconds} s`,
  // Until Kubernetes notices, its pods still get requests, which get no response.
  allowed: [/^50[24]\b/u, /timeout|timed out|EOF|reset|refused|no route/iu],
  async run(context) {
    const node = await spareNode(context);
    await startOnNode(context, { node, script: nodeScript(lostSeconds) });
    const isReady = async () =>
      (await listNodes(context)).find(({ name }) => name === node)?.isReady === true;
    const isMissed = async () =>
      !(await isReady()) &&
      (await stayingPods(context)).every((pod) => pod.node !== node || !pod.isReady);
    const noticed = await waitUntil(context, {
      isThere: isMissed,
      everyMs: 1000,
      seconds: lostSeconds,
      otherwise: `${node} is not missed`,
    });
    const replaced = await waitForAll(context, patience);
    await waitUntil(context, {
      isThere: isReady,
      everyMs: 1000,
      seconds: patience,
      otherwise: `${node} has not come back`,
    });
    const again = await spreadAgain(context);
    const after = `all pods ready again ${(noticed + replaced).toFixed(0)} s after the loss`;
    return `noticed after ${noticed.toFixed(0)} s, ${after}; ${again}`;
  },
};

const databaseRestarted: Fault = {
  title: 'the database restarted',
  allowed: busy,
  async run(context) {
    await context.kubectl.run(['delete', 'pod', (await onePod(context, 'postgres')).name]);
    const ready = ['--for=condition=Ready', `pod/${testbed}-postgres-0`, '--timeout=180s'];
    await context.kubectl.run(['wait', ...ready]);
    return `ready again, the pods after ${(await waitForAll(context, patience)).toFixed(0)} s`;
  },
};

const silentSeconds = 25;

/** A store that is gone without a word: no answer, no end of a connection. */
const silent = (component: 'postgres' | 'redis', title: string, allowed: RegExp[]): Fault => ({
  title: `${title} silent for ${silentSeconds} s`,
  allowed,
  async run(context) {
    const { node, uid } = await onePod(context, component);
    await startOnNode(context, { node, script: podScript(uid, silentSeconds) });
    await context.sleep(silentSeconds * 1000);
    return `all pods ready ${(await waitForAll(context, patience)).toFixed(0)} s after it was back`;
  },
});

const redisGone: Fault = {
  title: `Redis gone for ${silentSeconds} s`,
  allowed: [],
  async run(context) {
    const scale = (replicas: number) =>
      context.kubectl.run(['scale', `deploy/${testbed}-redis`, `--replicas=${replicas}`]);
    await scale(0);
    await context.sleep(silentSeconds * 1000);
    await scale(1);
    const ready = ['rollout', 'status', `deploy/${testbed}-redis`, '--timeout=120s'];
    await context.kubectl.run(ready);
    return `all pods ready ${(await waitForAll(context, patience)).toFixed(0)} s after it was back`;
  },
};

/** Everything that is to be held, in the order in which it happens. */
export const faults: readonly Fault[] = [
  rollingUpdate,
  chartUpgrade,
  eachPod,
  workerKilled,
  drain,
  nodeLost,
  databaseRestarted,
  silent('postgres', 'the database', [...busy, /timeout|timed out/iu]),
  silent('redis', 'Redis', []),
  redisGone,
];
