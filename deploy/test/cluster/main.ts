import { createKubectl } from './kubectl.ts';
import { missingRequirements } from './requirements.ts';
import { createStackRun } from './stack-run.ts';
import { createScenario } from './scenario.ts';

/** Left out for want of something; neither a success nor a failure. */
const exitLeftOut = 3;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const main = async (): Promise<number> => {
  const image = process.env['CLUSTER_IMAGE'];
  const namespace = process.env['PULUMI_TEST_NAMESPACE'] ?? 'pulumi-test';
  const missing = await missingRequirements(image);
  if (missing.length > 0 || image === undefined) {
    print(`Pulumi on a real cluster: left out, missing ${missing.join(', ')}`);
    return exitLeftOut;
  }
  const kubectl = createKubectl(namespace);
  const run = await createStackRun(namespace);
  if (await kubectl.exists()) {
    print(
      `The namespace ${namespace} is in use by something else: set PULUMI_TEST_NAMESPACE to another name`,
    );
    return 1;
  }
  for (const step of createScenario({ run, kubectl, namespace, image })) {
    const begun = performance.now();
    try {
      await step.run();
    } catch (error) {
      print(`FAILED ${step.title}\n${error instanceof Error ? error.message : String(error)}`);
      return 1;
    }
    print(`ok     ${step.title} (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
  }
  return 0;
};

process.exitCode = await main();
