import assert from 'node:assert/strict';
import { createKubectl } from './kubectl.ts';
import { createRecoveryScenario } from './scenario-recovery.ts';
import { createReleaseScenario } from './scenario-releases.ts';
import type { Scenario, ScenarioOptions, Step } from './scenario.types.ts';
import { createStackRun } from './stack-run.ts';
import { keepByAlias } from './steps-aliases.ts';
import { destroyAllButProtected, importAfterLoss } from './steps-lasting.ts';
import {
  giveUpForAnImage,
  holdToReview,
  reportDrift,
  savePreview,
  saidWhatItWaitedFor,
} from './steps-preview.ts';
import { changeOneValue, refuseValues, refuseViolations, takeValues } from './steps-values.ts';
import {
  apply,
  closeTheGate,
  configure,
  expectAllReady,
  lookForSecrets,
  newSecret,
  refuseByPolicy,
  refuseProd,
  resistDestroy,
  rotate,
  staysClosed,
  type StepDeps,
} from './steps.ts';

export const parts = ['service', 'releases', 'recovery'] as const;
export type Part = (typeof parts)[number];

const refuseForeign = async (namespace: string): Promise<void> => {
  if (await createKubectl(namespace).exists()) {
    throw new Error(
      `The namespace ${namespace} is in use by something else: set PULUMI_TEST_NAMESPACE to another name`,
    );
  }
};

/** Steps from an empty cluster to a stack whose gates an operator turns. */
const beginSteps = (deps: StepDeps, jwtSecret: string, tag: string): readonly Step[] => {
  const { run } = deps;
  const up = async (...args: readonly string[]) => {
    await run.must(...apply, ...args);
  };
  return [
    { title: 'a stack is configured, its secrets encrypted', run: configure(deps, jwtSecret) },
    { title: 'prod refuses it by its keys, before anything is created', run: refuseProd(deps) },
    { title: 'the policies refuse `latest`', run: refuseByPolicy(deps, tag) },
    {
      title: 'up: the policies accept it, everything exists',
      run: () => up('--policy-pack', 'policy/dist'),
    },
    { title: 'it said every few seconds what it waited for', run: saidWhatItWaitedFor(deps) },
    { title: 'all pods are ready', run: expectAllReady(deps) },
    { title: 'up again changes nothing', run: () => up('--expect-no-changes') },
    { title: 'no secret is in clear', run: lookForSecrets(deps, jwtSecret) },
  ];
};

/** Steps that change a stack which an operator changes too. */
const changeSteps = (deps: StepDeps, tag: string): readonly Step[] => {
  const { run } = deps;
  const upStaysClosed = async (...args: readonly string[]) => {
    await run.must(...apply, ...args);
    await staysClosed(deps);
  };
  return [
    { title: 'a gate is closed by hand, without a restart', run: closeTheGate(deps) },
    { title: 'up leaves it closed', run: () => upStaysClosed('--expect-no-changes') },
    {
      title: 'refresh and up leave it closed',
      run: async () => {
        await run.must('refresh', '--yes', '--skip-preview', '--non-interactive');
        await upStaysClosed('--expect-no-changes');
      },
    },
    {
      title: 'up with a changed process and changed first values leaves it closed',
      run: async () => {
        await run.set({
          'environment.LOG_LEVEL': 'debug',
          'settings.ACCOUNTING_PORTAL_MODE': 'readwrite',
        });
        await upStaysClosed();
      },
    },
    { title: 'a changed secret rolls the pods', run: rotate(deps) },
    {
      title: "peers, resources, DNS, volumes and annotations are the house's",
      run: takeValues(deps),
    },
    { title: 'one changed value changes one object', run: changeOneValue(deps) },
    { title: 'values that the schema or a key refuses stop the preview', run: refuseValues(deps) },
    {
      title: 'the policies refuse what breaks them, and nothing is made',
      run: refuseViolations(deps),
    },
    { title: 'a saved preview is the same twice, and is what is applied', run: savePreview(deps) },
    { title: 'what was not approved is not applied', run: holdToReview(deps) },
    { title: 'a field changed by hand is reported, and nothing else', run: reportDrift(deps) },
    { title: 'an image that cannot be pulled ends the wait', run: giveUpForAnImage(deps, tag) },
  ];
};

/** Creates the steps of the part `service`: one stack of dev with its testbed. */
const createServiceScenario = async ({ namespace, image }: ScenarioOptions): Promise<Scenario> => {
  const kubectl = createKubectl(namespace);
  const run = await createStackRun(namespace);
  await refuseForeign(namespace);
  const deps = { run, kubectl, namespace, image };
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const steps = [
    ...beginSteps(deps, newSecret(), tag),
    ...changeSteps(deps, tag),
    { title: 'what was renamed and moved keeps its object by an alias', run: keepByAlias(deps) },
    { title: 'what is protected resists destroy', run: resistDestroy(deps) },
    { title: 'destroy leaves what is protected, and no more', run: destroyAllButProtected(deps) },
    { title: 'after the loss of the state it is imported, unchanged', run: importAfterLoss(deps) },
    {
      title: 'destroy deletes everything of a dev stack',
      run: async () => {
        await staysClosed(deps);
        await run.must('state', 'unprotect', '--all', '--yes', '--stack', namespace);
        await run.must('destroy', '--yes', '--skip-preview', '--non-interactive');
        assert.equal(await kubectl.exists(), false);
      },
    },
  ];
  return { steps, close: () => Promise.resolve() };
};

/** Creates the steps of a part, after taking down what an earlier run left. */
export const createScenario = (part: Part, options: ScenarioOptions): Promise<Scenario> =>
  ({
    service: createServiceScenario,
    releases: createReleaseScenario,
    recovery: createRecoveryScenario,
  })[part](options);
