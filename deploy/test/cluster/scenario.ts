import assert from 'node:assert/strict';
import {
  apply,
  closeTheGate,
  configure,
  lookForSecrets,
  newSecret,
  refuseByPolicy,
  refuseProd,
  resistDestroy,
  rotate,
  staysClosed,
  type StepDeps,
} from './steps.ts';

/** One check of the program on the cluster; `run` throws when it fails. */
interface Step {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** Creates the steps on a real cluster, in order; each needs those before it. */
export const createScenario = (deps: StepDeps): readonly Step[] => {
  const { run, kubectl, image } = deps;
  const jwtSecret = newSecret();
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const up = async (...args: readonly string[]) => {
    await run.must(...apply, ...args);
  };
  const upStaysClosed = async (...args: readonly string[]) => {
    await up(...args);
    await staysClosed(deps);
  };
  return [
    { title: 'a stack is configured, its secrets encrypted', run: configure(deps, jwtSecret) },
    { title: 'prod refuses it by its keys, before anything is created', run: refuseProd(deps) },
    { title: 'the policies refuse `latest`, and accept the rest', run: refuseByPolicy(deps, tag) },
    { title: 'up: everything exists and is ready', run: () => up('--policy-pack', 'policy/dist') },
    { title: 'up again changes nothing', run: () => up('--expect-no-changes') },
    { title: 'no secret is in clear', run: lookForSecrets(deps, jwtSecret) },
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
    { title: 'what is protected resists destroy', run: resistDestroy(deps) },
    {
      title: 'destroy deletes everything of a dev stack',
      run: async () => {
        await staysClosed(deps);
        await run.must('destroy', '--yes', '--skip-preview', '--non-interactive');
        assert.equal(await kubectl.exists(), false);
      },
    },
  ];
};
