import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['{lib,thresholds,profiles,runner}/**/*.test.ts'], restoreMocks: true },
});
