import { z } from 'zod';
import assert from 'node:assert/strict';
import type { ClusterStep, DemoContext } from '../cluster.types.ts';
import { listPods, type PodState } from '../list-pods.ts';
import { processPods } from '../release.ts';
import { createIngressClient } from '../tools/create-ingress-client.ts';
import { upgradeService } from '../upgrade-service.ts';
import { waitUntil } from '../wait-until.ts';

type GateState = 'OPEN' | 'CLOSED';

const gatesWire = z.object({ items: z.array(z.object({ gate: z.string(), isOpen: z.boolean() })) });

/** A kubelet looks for a changed ConfigMap once a minute unless it is configured otherwise. */
const patienceSeconds = 150;
/** Answers that must agree, since they come from one replica or the other. */
const repeats = 6;

/** Reads the state of the sell gate from the public readiness route. */
const readSell = async (context: DemoContext): Promise<GateState> => {
  const customer = createIngressClient(context.readState('ingressEndpoints').customer);
  const { body } = await customer.get('/v1/public/payment-readiness');
  return body.sell;
};

const isEverywhere = async (context: DemoContext, wanted: GateState): Promise<boolean> => {
  for (let asked = 0; asked < repeats; asked += 1) {
    if ((await readSell(context)) !== wanted) return false;
  }
  return true;
};

/** Returns the seconds until every replica reports it. */
const waitForSale = (context: DemoContext, wanted: GateState): Promise<number> =>
  waitUntil(context, {
    isThere: () => isEverywhere(context, wanted),
    everyMs: 2000,
    seconds: patienceSeconds,
    otherwise: `selling is not ${wanted} at every replica`,
  });

const mark = (pods: readonly PodState[]): string =>
  pods.map(({ uid, restarts }) => `${uid} ${restarts}`).join('\n');

/** Checks that a gate that an operator closed stays closed until an operator opens it. */
export const flipGate: ClusterStep = {
  title: 'A gate closes without a restart, and stays closed through an upgrade',
  async run(context) {
    await context.goldctl(['gates', 'open', 'sell', '--yes']);
    await waitForSale(context, 'OPEN');
    const before = mark(await listPods(context, processPods));
    await context.goldctl(['gates', 'close', 'sell']);
    const closedAfter = await waitForSale(context, 'CLOSED');
    const isUntouched = mark(await listPods(context, processPods)) === before;
    assert(isUntouched, 'pods were replaced or restarted meanwhile');
    await upgradeService(context);
    const isStillClosed = await isEverywhere(context, 'CLOSED');
    assert(isStillClosed, 'helm upgrade opened the gate that an operator had closed');
    const gates = gatesWire.parse(
      JSON.parse(await context.goldctl(['gates', 'show', '-o', 'json'])),
    );
    const shown = gates.items.find(({ gate }) => gate === 'sell');
    assert(shown?.isOpen === false, 'goldctl gates show does not say that it is closed');
    await context.goldctl(['gates', 'open', 'sell', '--yes']);
    const openAfter = await waitForSale(context, 'OPEN');
    return [
      `goldctl gates close sell: closed to customers after ${closedAfter.toFixed(1)} s;` +
        ' the same pods, no restart',
      'helm upgrade: still closed, to customers and to goldctl',
      `goldctl gates open sell: open again after ${openAfter.toFixed(1)} s`,
    ];
  },
};
