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
  type StoryParts,
} from './acts.ts';

/** One thing that is shown; it throws when it is not so. */
interface Step {
  readonly title: string;
  readonly act: () => Promise<void>;
}

/** Creates the steps on a real cluster, in order; each needs those before it. */
export const createStory = (parts: StoryParts): readonly Step[] => {
  const { run, kubectl, image } = parts;
  const jwtSecret = newSecret();
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const up = async (...args: readonly string[]) => {
    await run.must(...apply, ...args);
  };
  const upStaysClosed = async (...args: readonly string[]) => {
    await up(...args);
    await staysClosed(parts);
  };
  return [
    { title: 'a stack is configured, its secrets encrypted', act: configure(parts, jwtSecret) },
    { title: 'prod refuses it by its keys, before anything is created', act: refuseProd(parts) },
    { title: 'the policies refuse `latest`, and accept the rest', act: refuseByPolicy(parts, tag) },
    { title: 'up: everything exists and is ready', act: () => up('--policy-pack', 'policy') },
    { title: 'up again changes nothing', act: () => up('--expect-no-changes') },
    { title: 'no secret is in clear', act: lookForSecrets(parts, jwtSecret) },
    { title: 'a gate is closed by hand, without a restart', act: closeTheGate(parts) },
    { title: 'up leaves it closed', act: () => upStaysClosed('--expect-no-changes') },
    {
      title: 'refresh and up leave it closed',
      act: async () => {
        await run.must('refresh', '--yes', '--skip-preview', '--non-interactive');
        await upStaysClosed('--expect-no-changes');
      },
    },
    {
      title: 'up with a changed process and changed first values leaves it closed',
      act: async () => {
        await run.set({
          'environment.LOG_LEVEL': 'debug',
          'settings.ACCOUNTING_PORTAL_MODE': 'readwrite',
        });
        await upStaysClosed();
      },
    },
    { title: 'a changed secret rolls the pods', act: rotate(parts) },
    { title: 'what is protected resists destroy', act: resistDestroy(parts) },
    {
      title: 'destroy deletes everything of a dev stack',
      act: async () => {
        await staysClosed(parts);
        await run.must('destroy', '--yes', '--skip-preview', '--non-interactive');
        assert.equal(await kubectl.exists(), false);
      },
    },
  ];
};
