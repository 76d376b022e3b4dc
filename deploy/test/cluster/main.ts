import { missingRequirements } from './requirements.ts';
import { createScenario } from './scenario.ts';

/** Left out for want of something; neither a success nor a failure. */
const exitLeftOut = 3;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const secondsSince = (begun: number): string => ((performance.now() - begun) / 1000).toFixed(0);

const main = async (): Promise<number> => {
  const image = process.env['CLUSTER_IMAGE'];
  const namespace = process.env['PULUMI_TEST_NAMESPACE'] ?? 'pulumi-test';
  const missing = await missingRequirements(image);
  if (missing.length > 0 || image === undefined) {
    print(`Pulumi on a real cluster: left out, missing ${missing.join(', ')}`);
    return exitLeftOut;
  }
  for (const step of await createScenario({ namespace, image })) {
    const begun = performance.now();
    try {
      await step.run();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      print(`FAILED ${step.title} (${secondsSince(begun)} s)\n${why}`);
      return 1;
    }
    print(`ok     ${step.title} (${secondsSince(begun)} s)`);
  }
  return 0;
};

process.exitCode = await main();
