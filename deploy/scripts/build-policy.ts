import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Builds the policy pack as JavaScript, into the folder that is passed to `--policy-pack`. Pulumi
 * would compile a pack in TypeScript with a compiler of its own. Unchanged files are not written,
 * so that a second deployment does not disturb the first.
 *
 * build-policy.ts [FOLDER]
 */
const [, , folder] = process.argv;
const source = fileURLToPath(new URL('../policy', import.meta.url));
const target = folder ?? fileURLToPath(new URL('../policy/dist', import.meta.url));

const { outputFiles } = await build({
  entryPoints: [`${source}/main.ts`],
  outfile: `${target}/main.js`,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['@pulumi/*'],
  logLevel: 'warning',
  write: false,
});
const manifest = {
  name: 'digital-gold-policy',
  version: '0.1.0',
  type: 'commonjs',
  main: 'main.js',
};
const files: Readonly<Record<string, string>> = {
  'main.js': outputFiles.map(({ text }) => text).join(''),
  'PulumiPolicy.yaml': readFileSync(`${source}/PulumiPolicy.yaml`, 'utf8'),
  'package.json': `${JSON.stringify(manifest)}\n`,
};

mkdirSync(target, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const file = `${target}/${name}`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, text);
  renameSync(staged, file);
}
