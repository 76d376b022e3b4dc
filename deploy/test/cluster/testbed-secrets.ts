import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { secretNames } from '../../src/config/variables.ts';
import { mustRun } from './run-command.ts';

const secretSchema = z.object({
  kind: z.literal('Secret'),
  metadata: z.object({ name: z.enum(['testbed-app', 'testbed-migrate']) }),
  stringData: z.record(z.string(), z.string()),
});

/** The secrets that the testbed publishes, so that a stack's own fit its stores and its sandbox. */
export const testbedSecrets = async (): Promise<Readonly<Record<string, string>>> => {
  const chart = fileURLToPath(new URL('../../../charts/digital-gold-testbed', import.meta.url));
  const image = ['image.repository=any', 'image.tag=any'].flatMap((pair) => ['--set', pair]);
  const text = await mustRun('helm', [
    'template',
    'testbed',
    chart,
    '--set=purpose=test',
    ...image,
  ]);
  const found = parseAllDocuments(text)
    .map((document) => secretSchema.safeParse(document.toJS()))
    .flatMap(({ data }) => Object.entries(data?.stringData ?? {}));
  return Object.fromEntries(found.filter(([name]) => secretNames.includes(name)));
};
