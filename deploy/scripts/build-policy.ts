import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Builds the policy pack as JavaScript, in the folder that `--policy-pack` is given: Pulumi hands
 * every pack in TypeScript to a compiler of its own.
 */
const source = fileURLToPath(new URL('../policy', import.meta.url));
const target = fileURLToPath(new URL('../policy/dist', import.meta.url));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  entryPoints: [`${source}/main.ts`],
  outfile: `${target}/main.js`,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['@pulumi/*'],
  logLevel: 'warning',
});
copyFileSync(`${source}/PulumiPolicy.yaml`, `${target}/PulumiPolicy.yaml`);
writeFileSync(
  `${target}/package.json`,
  `${JSON.stringify({ name: 'digital-gold-policy', version: '0.1.0', type: 'commonjs', main: 'main.js' })}\n`,
);
