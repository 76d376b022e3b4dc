import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { z } from 'zod';
import { releaseSchema } from '../src/config/release.ts';

/**
 * Writes the file by which stacks name a release, `releases/VERSION.yaml`:
 *   write-release.ts VERSION --image NAME --digest sha256:… --chart oci://…
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    image: { type: 'string' },
    digest: { type: 'string' },
    chart: { type: 'string' },
    to: { type: 'string' },
  },
});
const [version] = positionals;
const parsed = releaseSchema.safeParse({
  version,
  chart: { source: values.chart, version },
  image: { repository: values.image, tag: version, digest: values.digest },
});
if (parsed.success) {
  const file =
    values.to ?? fileURLToPath(new URL(`../releases/${parsed.data.version}.yaml`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  const head =
    '# What was released under this version. A stack that names it runs this, and nothing else.\n';
  writeFileSync(file, `${head}${stringify(parsed.data)}`);
  process.stdout.write(`${file}\n`);
} else {
  process.stderr.write('write-release.ts VERSION --image NAME --digest sha256:… --chart oci://…\n');
  process.stderr.write(`${z.prettifyError(parsed.error)}\n`);
  process.exitCode = 2;
}
