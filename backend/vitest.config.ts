import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'dev/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    // The first hook of a run may wait for the servers and the build.
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    restoreMocks: true,
  },
});
