import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{lib,thresholds,profiles,runner}/**/*.test.ts'],
    // The runner is a process of its own, on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    restoreMocks: true,
  },
});
