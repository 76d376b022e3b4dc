import { defineConfig } from 'vitest/config';
import { findUnitTests } from './test/support/find-unit-tests.ts';

/** Whole processes, replicas, kills: minutes. Everything else is a developer's loop. */
const stories = [
  'test/{buy,sell,feed,hostile,ownership,plans,stack}/**/*.test.ts',
  'test/demo.test.ts',
];

/** Those that need PgBouncer: without it they fail, and say so. */
const pooled = ['src/**/pooled-*.test.ts'];

const all = ['src/**/*.test.ts', 'dev/**/*.test.ts', 'test/**/*.test.ts'];

/** The loop of some seconds. `fast` has what needs a store or starts a process. */
const unit = findUnitTests(all);

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Modules are loaded once per worker, not once per file: half of the processor time of the fast
    // ones, a tenth of the stories'.
    isolate: false,
    // More than the two cores that the suite is timed on: a third of a test's time is waiting.
    maxWorkers: 4,
    // Twice Node's own: collecting less often saves a twentieth of the run's processor time.
    execArgv: ['--max-semi-space-size=32'],
    // A hang ends a test, and a busy machine none: waits for a condition give up after 30 s.
    testTimeout: 120_000,
    // The first hook of a run may wait for the servers and the build.
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: 'unit', include: unit, exclude: [...stories, ...pooled] } },
      {
        extends: true,
        test: { name: 'fast', include: all, exclude: [...stories, ...pooled, ...unit] },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          include: stories,
          // Each has half a dozen processes of its own, which wait for little but the processor.
          maxWorkers: 3,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // On a real S3 server: without `versitygw` on the PATH it fails, and says so.
          name: 's3',
          include: ['test/adapters/object-store-contract.test.ts'],
          env: { STORE_UNDER_TEST: 's3' },
        },
      },
      { extends: true, test: { name: 'pooler', include: pooled } },
    ],
  },
});
