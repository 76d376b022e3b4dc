import { defineConfig } from 'vitest/config';

/** The drills of the alerts: minutes each, on a real Prometheus. `make alert-drills` runs them. */
export default defineConfig({
  test: {
    include: ['test/drills/*.drill.ts'],
    globalSetup: ['../backend/test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
  },
});
