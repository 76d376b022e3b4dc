import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // The servers that the backend's tests use: nothing is started until a test asks for it.
    globalSetup: ['../backend/test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A command may start two processes, on a busy machine.
    testTimeout: 120_000,
    // The first hook of a run may wait for the servers and the build.
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    restoreMocks: true,
  },
});
