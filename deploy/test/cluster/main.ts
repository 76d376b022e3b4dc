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

/** Runs the steps of a part in order, and always what closes it. Returns whether all passed. */
const runPart = async (
  part: Part,
  options: { readonly namespace: string; readonly image: string },
): Promise<boolean> => {
  const say = (text: string): void => print(`${part.padEnd(8)} ${text}`);
  let at = { title: 'its beginning', begun: performance.now() };
  try {
    const { steps, close } = await createScenario(part, options);
    try {
      for (const { title, run } of steps) {
        at = { title, begun: performance.now() };
        await run();
        say(`ok     ${title} (${seconds(at.begun)} s)`);
      }
    } finally {
      await close();
    }
    return true;
  } catch (error) {
    say(`FAILED ${at.title} (${seconds(at.begun)} s)`);
    say(error instanceof Error ? error.message : String(error));
    return false;
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
  // Side by side: each has stacks and namespaces of its own, and waits for pods most of the time.
  const passed = await Promise.all(
    chosenParts().map((part) => runPart(part, { namespace, image })),
  );
  const isGood = passed.every(Boolean);
  print(`${isGood ? 'all passed' : 'FAILED'} in ${seconds(begun)} s`);
  return isGood ? 0 : 1;
};

process.exitCode = await main();
