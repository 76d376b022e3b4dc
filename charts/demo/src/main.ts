import { resolve } from 'node:path';
import { runSteps } from '@digital-gold/backend/demo';
import { createDemoContext } from './create-demo-context.ts';
import { describeTrouble } from './describe-trouble.ts';
import { readOptions, type DemoOptions } from './read-options.ts';
import { bringImage } from './steps/bring-image.ts';
import { checkCluster } from './steps/check-cluster.ts';
import { flipGate } from './steps/flip-gate.ts';
import { installService } from './steps/install-service.ts';
import { installTestbed } from './steps/install-testbed.ts';
import { makeFirstOperator } from './steps/make-first-operator.ts';
import { playStory } from './steps/play-story.ts';
import { reachAccounting } from './steps/reach-accounting.ts';
import { rollUnderLoad } from './steps/roll-under-load.ts';
import { runHelmTest } from './steps/run-helm-test.ts';
import { seed } from './steps/seed.ts';
import { seeNodes } from './steps/see-nodes.ts';
import { tryAgain } from './try-again.ts';
import { runTool, tryTool } from './tools/run-tool.ts';

/**
 * Plays everything on a cluster, from an image to the customer's gold. It exits with 1 if any of it
 * fails.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');

const steps = [
  checkCluster,
  ...[bringImage, installTestbed, installService, makeFirstOperator, seed, runHelmTest].map(
    tryAgain,
  ),
  playStory,
  rollUnderLoad,
  ...[seeNodes, flipGate, reachAccounting].map(tryAgain),
];

const requireTools = async (): Promise<void> => {
  for (const [tool, ...args] of [
    ['kubectl', 'version', '--client'],
    ['helm', 'version'],
  ] as const) {
    if ((await tryTool(tool, args)).code === 0) continue;
    throw new Error(`${tool} is needed and is not on the PATH`);
  }
};

const currentContext = async (options: DemoOptions): Promise<string> =>
  options.kubeContext ?? (await runTool('kubectl', ['config', 'current-context'])).trim();

const main = async (): Promise<boolean> => {
  const options = readOptions(process.env);
  await requireTools();
  const context = createDemoContext({
    options,
    repository,
    kubeContext: await currentContext(options),
    print: (text) => void process.stdout.write(text),
  });
  try {
    const hasPassed = await runSteps({
      context,
      steps,
      write: context.print,
      colours: false,
      explain: () => describeTrouble(context),
    });
    if (hasPassed && options.isTakenDown) {
      await runTool('sh', ['charts/demo/down.sh'], { cwd: repository });
      context.print('taken down again\n');
    }
    return hasPassed;
  } finally {
    context.close();
  }
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
