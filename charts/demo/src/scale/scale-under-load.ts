import type { ClusterStep, DemoContext } from '../cluster.types.ts';
import { countLoad } from '../load/describe-load.ts';
import { serviceLoad } from '../load/service-load.ts';
import { startLoad } from '../load/start-load.ts';
import { upgradeService } from '../upgrade-service.ts';
import { waitUntil } from '../wait-until.ts';
import { describeState, readAutoscaler, type ScaleState } from './read-autoscaler.ts';

const fewest = 2;
const most = 4;

/** By default, Kubernetes waits five minutes before it removes a pod. Here it waits one minute. */
const autoscaling = [
  'customer.autoscaling.enabled=true',
  `customer.autoscaling.minReplicas=${fewest}`,
  `customer.autoscaling.maxReplicas=${most}`,
  'customer.autoscaling.behavior.scaleDown.stabilizationWindowSeconds=60',
];

/** The number of clients. Each sends a webhook every `everyMs`. */
const clients = 4;
const everyMs = 50;
const patience = 600;

/** Polls the autoscaler until `isThere` is true. Returns a line for each change of its state. */
const watch = async (
  context: DemoContext,
  begun: number,
  isThere: (state: ScaleState) => boolean,
  otherwise: string,
): Promise<readonly string[]> => {
  const lines: string[] = [];
  let last = '';
  await waitUntil(context, {
    isThere: async () => {
      const state = await readAutoscaler(context);
      const said = [state.pods, state.ready, state.wanted].join();
      const isNow = isThere(state);
      if (said !== last || isNow) {
        const second = ((performance.now() - begun) / 1000).toFixed(0);
        lines.push(`${second.padStart(4)} s  ${describeState(state)}`);
      }
      last = said;
      return isNow;
    },
    everyMs: 3000,
    seconds: patience,
    otherwise,
  });
  return lines;
};

/**
 * Shows that the autoscaler adds pods of the customer API under load, by their CPU usage, and
 * removes them after the load has ended.
 */
export const scaleUnderLoad: ClusterStep = {
  title: 'The autoscaler of the customer API, by CPU',
  async run(context) {
    await upgradeService(context, { values: autoscaling });
    const rest = await watch(
      context,
      performance.now(),
      ({ pods, ready, percent }) => pods === fewest && ready === fewest && percent !== undefined,
      'the autoscaler has not measured two pods',
    );
    const webhook = (await serviceLoad(context)).find(({ method }) => method === 'POST');
    if (webhook === undefined) throw new Error('no target is a webhook');
    const load = startLoad(
      Array.from({ length: clients }, () => ({ ...webhook, everyMs, connections: 'kept' })),
    );
    const begun = performance.now();
    let up: readonly string[] = [];
    let reports: Awaited<ReturnType<typeof load.stop>> = [];
    try {
      up = await watch(context, begun, ({ ready }) => ready > fewest, 'no pod has come');
      // Gives the new pods time to take their share of the load.
      await context.sleep(30_000);
    } finally {
      reports = await load.stop();
    }
    const { sent, failed } = countLoad(reports);
    const ended = ((performance.now() - begun) / 1000).toFixed(0);
    const down = await watch(
      context,
      begun,
      ({ pods, wanted }) => pods === fewest && wanted === fewest,
      'the pods have not gone again',
    );
    await upgradeService(context);
    return [
      `at rest: ${rest.at(-1)?.trim() ?? ''}`,
      `from 0 s on ${(clients * 1000) / everyMs} webhooks a second`,
      ...up,
      `${ended.padStart(4)} s  the load ends: ${sent} sent, ${failed} failed`,
      ...down,
    ];
  },
};
