import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mustRun } from './run-command.ts';
import { homeFolder } from './stack-run.ts';
import { apply, type StepDeps } from './steps.ts';

/** Saves what would change into a folder, and returns the file. */
const save = async ({ run, namespace }: StepDeps, folder: string): Promise<string> => {
  const previews = `${homeFolder}/${folder}`;
  rmSync(previews, { recursive: true, force: true });
  const { code, output } = await run.script(['deploy.sh', 'preview', namespace], {
    PREVIEWS: previews,
  });
  assert.equal(code, 0, output);
  return `${previews}/${namespace}.txt`;
};

/** Expects a saved preview to be the same twice, and to be what is then applied. */
export const savePreview = (deps: StepDeps) => async () => {
  const { run, namespace } = deps;
  await run.set({ 'environment.LOG_LEVEL': 'warn' });
  const first = await save(deps, 'first-preview');
  const second = await save(deps, 'second-preview');
  assert.equal(readFileSync(second, 'utf8'), readFileSync(first, 'utf8'));
  assert.match(readFileSync(first, 'utf8'), /LOG_LEVEL/u);
  const { code, output } = await run.script(['deploy.sh', 'up', namespace], { PREVIEW: first });
  assert.equal(code, 0, output);
  await run.must(...apply, '--expect-no-changes');
};

/** Expects an update to stop, before it changes anything, where more would change than was approved. */
export const holdToReview = (deps: StepDeps) => async () => {
  const { run, namespace } = deps;
  const scaled = ['deployment/digital-gold-accounting', '-o', 'jsonpath={.metadata.generation}'];
  const generation = () => mustRun('kubectl', ['-n', namespace, 'get', ...scaled]);
  const file = readFileSync(run.configFile, 'utf8');
  await run.set({ 'environment.LOG_LEVEL': 'info' });
  const approved = await save(deps, 'first-preview');
  // Somebody changes one thing more after the approval.
  await run.set({ 'replicas.accounting': '2' });
  const before = await generation();
  const { code, output } = await run.script(['deploy.sh', 'up', namespace], { PREVIEW: approved });
  assert.equal(code, 4, `more was changed than was approved:\n${output}`);
  assert.match(output, /^\+.*replicas/mu);
  assert.match(output, /nothing was changed/u);
  assert.equal(await generation(), before);
  writeFileSync(run.configFile, file);
  await run.must(...apply, '--expect-no-changes');
};

/** Expects drift to be reported with its object and field, and nothing where there is none. */
export const reportDrift =
  ({ run, namespace }: StepDeps) =>
  async () => {
    const look = () => run.script(['deploy.sh', 'drift', namespace]);
    const deployment = 'deployment/digital-gold-accounting';
    const byHand = async (verb: string, what: string) => {
      await mustRun('kubectl', ['-n', namespace, verb, deployment, what]);
    };
    const clean = await look();
    assert.equal(clean.code, 0, `drift where there is none:\n${clean.output}`);
    await byHand('scale', '--replicas=0');
    await byHand('annotate', 'example.com/by-hand=true');
    const { code, output } = await look();
    await byHand('annotate', 'example.com/by-hand-');
    await byHand('scale', '--replicas=1');
    await mustRun('kubectl', ['-n', namespace, 'rollout', 'status', deployment, '--timeout=180s']);
    assert.notEqual(code, 0, 'a changed field was not reported');
    const of = 'Deployment digital-gold-accounting';
    assert.ok(output.includes(`${of}: spec.replicas was 1, is 0\n`), output);
    assert.ok(output.includes(`${of}: metadata.annotations.example.com/by-hand was added by`));
    const after = await look();
    assert.equal(after.code, 0, `drift where it was taken back:\n${after.output}`);
  };

/** Expects an update whose image can't be pulled to end soon, with the reason. */
export const giveUpForAnImage =
  ({ run, namespace }: StepDeps, tag: string) =>
  async () => {
    await run.set({ 'image.tag': 'never-built' });
    const begun = performance.now();
    const { code, output } = await run.pulumi(...apply);
    const ended = performance.now() - begun;
    // From when a pod is waited for: Pulumi itself may be slow to get there.
    const seen = run.said.find(({ text }) => !text.includes('for the command ('));
    const seconds = (ended - (seen?.at ?? ended)) / 1000;
    await run.set({ 'image.tag': tag });
    assert.notEqual(code, 0);
    assert.match(output, /has no image \S+:never-built/u);
    assert.ok(seconds < 30, `it took ${seconds.toFixed(0)} s`);
    // One that had to be killed leaves its lock.
    await run.pulumi('cancel', '--yes', '--stack', namespace);
    await run.must(...apply);
  };

/** Expects the last update to have said what it waits for, at least every half minute on a busy machine. */
export const saidWhatItWaitedFor =
  ({ run }: StepDeps) =>
  async () => {
    await Promise.resolve();
    assert.ok(run.said.length > 0, 'nothing was said');
    for (const { text } of run.said) assert.match(text, /waits for \S.* \(/u);
    const times = run.said.map(({ at }) => at);
    const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
    assert.ok(times.length < 2 || longest < 30_000, `nothing was said for ${longest} ms`);
  };
