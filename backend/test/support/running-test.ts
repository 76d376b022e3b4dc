import { test } from 'vitest';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { openRunningSystem, type RunningSystemOptions } from './open-running-system.ts';
import { openedOnce } from './opened-once.ts';
import type { TestStack } from './test-stack.ts';

/** Stands beside the stack for a file's processes, such as a server that a test may cut. */
interface Companion {
  readonly environment: ProcessEnvironment;
  close(): Promise<void>;
}

interface RunningTestOptions<B extends Companion> extends Omit<
  RunningSystemOptions,
  'environment'
> {
  /** Opens it when the stack's addresses are known. It is closed after the processes. */
  readonly openCompanion?: (stack: TestStack) => Promise<B>;
  /**
   * The invariants are checked after each test. If the set-up leaves work half done and each test
   * finishes a part of it, they are checked after the last test instead.
   */
  readonly checked?: 'at the end';
}

/**
 * Makes the `it` of a file of stories on the system's real processes. After every test, or at the
 * end, no faults are left, the invariants hold, and no log has a secret.
 */
export const runningTest = <B extends Companion = Companion>(
  options: RunningTestOptions<B> = {},
) => {
  const { openCompanion, checked, ...more } = options;
  const open = async () => {
    let companion: B | undefined;
    const environment = async (stack: TestStack): Promise<ProcessEnvironment> => {
      companion = await openCompanion?.(stack);
      return companion?.environment ?? {};
    };
    const system = await openRunningSystem({ ...more, environment });
    const close = async (): Promise<void> => {
      try {
        if (checked === 'at the end') await system.check();
      } finally {
        await system.stop();
        await companion?.close();
      }
    };
    return { system, companion, close };
  };
  const opened = openedOnce(open);
  return test
    .extend('system', { scope: 'file' }, () => opened().system)
    .extend('companion', { scope: 'file' }, () => {
      const { companion } = opened();
      if (companion === undefined) throw new Error('the file opens no companion of the stack');
      return companion;
    })
    .extend('systemHolds', { auto: true }, ({ system }, { onCleanup }) => {
      if (checked === undefined) onCleanup(() => system.check());
    });
};
