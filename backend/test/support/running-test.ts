import { test } from 'vitest';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { openRunningSystem, type RunningSystemOptions } from './open-running-system.ts';
import { openedOnce } from './opened-once.ts';
import type { TestStack } from './test-stack.ts';

/** Stands beside the stack for a file's processes, such as a server that a test may cut. */
interface Beside {
  readonly environment: ProcessEnvironment;
  close(): Promise<void>;
}

interface RunningTestOptions<B extends Beside> extends Omit<RunningSystemOptions, 'environment'> {
  /** Opens it when the stack's addresses are known. It is closed after the processes. */
  readonly openBeside?: (stack: TestStack) => Promise<B>;
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
export const runningTest = <B extends Beside = Beside>(options: RunningTestOptions<B> = {}) => {
  const { openBeside, checked, ...more } = options;
  const open = async () => {
    let beside: B | undefined;
    const environment = async (stack: TestStack): Promise<ProcessEnvironment> => {
      beside = await openBeside?.(stack);
      return beside?.environment ?? {};
    };
    const system = await openRunningSystem({ ...more, environment });
    const close = async (): Promise<void> => {
      try {
        if (checked === 'at the end') await system.check();
      } finally {
        await system.stop();
        await beside?.close();
      }
    };
    return { system, beside, close };
  };
  const opened = openedOnce(open);
  return test
    .extend('system', { scope: 'file' }, () => opened().system)
    .extend('beside', { scope: 'file' }, () => {
      const { beside } = opened();
      if (beside === undefined) throw new Error('nothing was opened beside the stack');
      return beside;
    })
    .extend('systemHolds', { auto: true }, ({ system }, { onCleanup }) => {
      if (checked === undefined) onCleanup(() => system.check());
    });
};
