import { resolve } from 'node:path';
import { runSteps } from '@digital-gold/backend/demo';
import { createDemoContext } from '../create-demo-context.ts';
import { describeTrouble } from '../describe-trouble.ts';
import { readOptions } from '../read-options.ts';
import { bringImage } from '../steps/bring-image.ts';
import { checkCluster } from '../steps/check-cluster.ts';
import { installService } from '../steps/install-service.ts';
import { installTestbed } from '../steps/install-testbed.ts';
import { runTool } from '../tools/run-tool.ts';
import { scaleUnderLoad } from './scale-under-load.ts';

/** Lets the customer API grow under load and shrink afterwards. It exits with 1 if it does not. */

const options = readOptions(process.env);
const kubeContext =
  options.kubeContext ?? (await runTool('kubectl', ['config', 'current-context'])).trim();
const context = createDemoContext({
  options,
  repository: resolve(import.meta.dirname, '..', '..', '..', '..'),
  kubeContext,
  print: (text) => void process.stdout.write(text),
});
try {
  const hasPassed = await runSteps({
    context,
    steps: [checkCluster, bringImage, installTestbed, installService, scaleUnderLoad],
    write: context.print,
    colours: false,
    explain: () => describeTrouble(context),
  });
  process.exitCode = hasPassed ? 0 : 1;
} finally {
  context.close();
}
