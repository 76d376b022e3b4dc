import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'policy/**/*.test.ts'],
    // The first import of the Kubernetes types takes seconds on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    restoreMocks: true,
  },
});
