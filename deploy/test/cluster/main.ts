import { missingRequirements } from './requirements.ts';
import { createScenario, parts, type Part } from './scenario.ts';

/**
 * The exit code of a run that is skipped because a requirement is missing. It means neither success
 * nor failure.
 */
const skippedExitCode = 3;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const isPart = (text: string): text is Part => parts.some((part) => part === text);

/** Returns the parts that PULUMI_TEST_PARTS names, or all parts if it is not set. */
const chosenParts = (): readonly Part[] => {
  const named = (process.env['PULUMI_TEST_PARTS'] ?? parts.join(',')).split(',');
  const unknown = named.filter((one) => !isPart(one));
  if (unknown.length > 0) {
    throw new Error(`PULUMI_TEST_PARTS: ${unknown.join(', ')}; there are ${parts.join(', ')}`);
  }
  return named.filter(isPart);
};

const secondsSince = (begun: number): string => ((performance.now() - begun) / 1000).toFixed(0);

/**
 * Runs the steps of a part in order, and closes its scenario even if a step fails. Returns true if all
 * steps passed.
 */
const runPart = async (
  part: Part,
  options: { readonly namespace: string; readonly image: string },
): Promise<boolean> => {
  const say = (text: string): void => print(`${part.padEnd(8)} ${text}`);
  let current = { title: 'its beginning', begun: performance.now() };
  try {
    const { steps, close } = await createScenario(part, options);
    try {
      for (const { title, run } of steps) {
        current = { title, begun: performance.now() };
        await run();
        say(`ok     ${title} (${secondsSince(current.begun)} s)`);
      }
    } finally {
      await close();
    }
    return true;
  } catch (error) {
    say(`FAILED ${current.title} (${secondsSince(current.begun)} s)`);
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
    return skippedExitCode;
  }
  const begun = performance.now();
  // The parts run concurrently: each has its own stacks and namespaces, and mostly waits for pods.
  const passed = await Promise.all(
    chosenParts().map((part) => runPart(part, { namespace, image })),
  );
  const isGood = passed.every(Boolean);
  print(`${isGood ? 'all passed' : 'FAILED'} in ${secondsSince(begun)} s`);
  return isGood ? 0 : 1;
};

process.exitCode = await main();
