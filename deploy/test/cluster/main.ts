import { missingRequirements } from './requirements.ts';
import { createScenario, parts, type Part } from './scenario.ts';

/** Left out for want of something. It is neither a success nor a failure. */
const exitLeftOut = 3;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const isPart = (text: string): text is Part => parts.some((part) => part === text);

/** The parts that PULUMI_TEST_PARTS names, all without it. */
const chosenParts = (): readonly Part[] => {
  const named = (process.env['PULUMI_TEST_PARTS'] ?? parts.join(',')).split(',');
  const unknown = named.filter((one) => !isPart(one));
  if (unknown.length > 0) {
    throw new Error(`PULUMI_TEST_PARTS: ${unknown.join(', ')}; there are ${parts.join(', ')}`);
  }
  return named.filter(isPart);
};

const seconds = (begun: number): string => ((performance.now() - begun) / 1000).toFixed(0);

/** Runs the steps of a part in order, and always what closes it. */
const runPart = async (part: Part, options: { namespace: string; image: string }) => {
  const { steps, close } = await createScenario(part, options);
  try {
    for (const step of steps) {
      const begun = performance.now();
      try {
        await step.run();
      } catch (error) {
        print(`FAILED ${step.title} (${seconds(begun)} s)`);
        throw error;
      }
      print(`ok     ${step.title} (${seconds(begun)} s)`);
    }
  } finally {
    await close();
  }
};

const main = async (): Promise<number> => {
  const image = process.env['CLUSTER_IMAGE'];
  const namespace = process.env['PULUMI_TEST_NAMESPACE'] ?? 'pulumi-test';
  const missing = await missingRequirements(image);
  if (missing.length > 0 || image === undefined) {
    print(`Pulumi on a real cluster: left out, missing ${missing.join(', ')}`);
    return exitLeftOut;
  }
  const begun = performance.now();
  for (const part of chosenParts()) {
    print(`${part}:`);
    try {
      await runPart(part, { namespace, image });
    } catch (error) {
      print(error instanceof Error ? error.message : String(error));
      return 1;
    }
  }
  print(`all passed in ${seconds(begun)} s`);
  return 0;
};

process.exitCode = await main();
