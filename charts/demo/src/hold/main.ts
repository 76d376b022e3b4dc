import { resolve } from 'node:path';
import { z } from 'zod';
import type { DemoContext } from '../cluster.types.ts';
import { createDemoContext } from '../create-demo-context.ts';
import { describeTrouble } from '../describe-trouble.ts';
import { serviceLoad } from '../load/service-load.ts';
import { readIngressEndpoints } from '../read-ingress-endpoints.ts';
import { readOptions } from '../read-options.ts';
import { service } from '../release.ts';
import { splitImage } from '../split-image.ts';
import { runTool } from '../tools/run-tool.ts';
import { waitForRateLimit } from '../wait-for-rate-limit.ts';
import { countRefused, describeHold } from './describe-hold.ts';
import { faults } from './faults.ts';
import type { Fault, HeldFault } from './hold.types.ts';
import { clearNodeWork } from './on-node.ts';
import { waitForAll, waitForLeaving } from './pods.ts';
import { startK6 } from './start-k6.ts';

/**
 * Causes every fault that a cluster can have, one after another, while the demo's release serves.
 * Exits with code 1 if a request failed that need not have, or if something did not recover by
 * itself.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..', '..');
/** Load before something fails and after all is well again. */
const besideMs = 5000;

const deploymentWire = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
      spec: z.object({ containers: z.array(z.object({ image: z.string() })).min(1) }),
    }),
  }),
});

/** Takes up what `make cluster-demo` left. */
const takeUp = async (context: DemoContext): Promise<void> => {
  const found = await context.kubectl.read(
    ['get', 'deployment', `${service}-customer`],
    deploymentWire,
  );
  const { metadata, spec } = found.spec.template;
  context.saveState('image', splitImage(spec.containers[0]?.image ?? ''));
  context.saveState('roll', metadata.annotations['digital-gold-demo-roll'] ?? 'none');
  context.saveState('ingressEndpoints', await readIngressEndpoints(context));
};

const hold = async (context: DemoContext, fault: Fault): Promise<HeldFault> => {
  await waitForAll(context, 300);
  await waitForRateLimit(context, context.readState('ingressEndpoints').customer, 60);
  context.print(`${fault.title} …\n`);
  const begun = performance.now();
  const load = startK6(await serviceLoad(context));
  let told = '';
  let trouble: Error | undefined;
  try {
    await context.sleep(besideMs);
    told = await fault.run(context);
    await waitForLeaving(context, 120);
    await context.sleep(besideMs);
  } catch (error) {
    trouble = error instanceof Error ? error : new Error(String(error));
  }
  const figures = await load.stop();
  if (trouble !== undefined) {
    told = trouble.message;
    context.print(`${(await describeTrouble(context)).join('\n')}\n`);
  }
  const seconds = (performance.now() - begun) / 1000;
  const refused = countRefused(figures, fault) + (trouble === undefined ? 0 : 1);
  const held = { title: fault.title, figures, seconds, told, refused };
  context.print(`${describeHold([held])[2]}\n`);
  return held;
};

const main = async (): Promise<boolean> => {
  const options = readOptions(process.env);
  const only = process.env['HOLD_ONLY'] ?? '';
  const kubeContext =
    options.kubeContext ?? (await runTool('kubectl', ['config', 'current-context'])).trim();
  const context = createDemoContext({
    options,
    repository,
    kubeContext,
    print: (text) => void process.stdout.write(text),
  });
  try {
    await takeUp(context);
    const held: HeldFault[] = [];
    for (const fault of faults.filter(({ title }) => title.includes(only))) {
      held.push(await hold(context, fault));
    }
    context.print(`\n${describeHold(held).join('\n')}\n`);
    const bad = held.filter(({ refused }) => refused > 0).map(({ title }) => title);
    if (bad.length > 0) context.print(`\nnot held: ${bad.join(', ')}\n`);
    return bad.length === 0;
  } finally {
    await clearNodeWork(context);
    context.close();
  }
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
