import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { encryptedHosts, internalAccounting } from '../../policy/exposure.ts';
import { limitedContainers, restrictedPods } from '../../policy/restricted-pods.ts';
import { fixedImages, noPlainSecrets } from '../../policy/secrets-and-images.ts';
import type { PolicySettings } from '../../policy/settings.ts';
import { twoReplicas, type StackResource } from '../../policy/two-replicas.ts';
import { chartValues, testbedValues } from '../../src/values/chart-values.ts';
import { mustRun } from '../cluster/run-command.ts';
import {
  exampleInput,
  parseInput,
  prodInput,
  readStackFile,
  stagingInput,
} from '../support/stack-texts.ts';

/**
 * Renders the charts with the values of each stack and asks every policy about every object: a
 * policy that the chart itself breaks would stop the first deployment, and not be noticed before.
 */
const charts = fileURLToPath(new URL('../../../charts', import.meta.url));

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

/** Renders a chart. Each object has the type that Pulumi gives it. */
const render = async (chart: string, values: unknown): Promise<readonly StackResource[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'rendered-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    const text = await mustRun('helm', [
      'template',
      'digital-gold',
      `${charts}/${chart}`,
      '--values',
      file,
    ]);
    return parseAllDocuments(text)
      .map((document): unknown => document.toJS())
      .filter((object) => object !== null)
      .map((object) => {
        const { apiVersion, kind, metadata } = objectSchema.parse(object);
        const version = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`;
        return { type: `kubernetes:${version}:${kind}`, name: metadata.name, props: object };
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const violationsOf = (resources: readonly StackResource[], settings: PolicySettings) => {
  const rules = [
    restrictedPods,
    limitedContainers,
    internalAccounting(settings),
    encryptedHosts(settings),
    noPlainSecrets,
    fixedImages(settings),
  ];
  return [
    ...resources.flatMap(({ type, name, props }) =>
      rules.flatMap((rule) => rule(type, props).map((sentence) => `${name}: ${sentence}`)),
    ),
    ...twoReplicas(settings)(resources),
  ];
};

const names = {
  secrets: { customer: 's', admin: 's', accounting: 's', worker: 's' },
  migrationSecret: 'm',
  settings: 'settings',
  claim: 'documents',
};

const stacks = {
  prod: prodInput(),
  staging: stagingInput(),
  dev: readStackFile('dev'),
  'prod on EKS': exampleInput('eks'),
  'prod on GKE': exampleInput('gke'),
};
let broken = 0;
for (const [stack, input] of Object.entries(stacks)) {
  const config = parseInput(input);
  const resources = [
    ...(await render('digital-gold', chartValues(config, names))),
    ...(config.testbed ? await render('digital-gold-testbed', testbedValues(config)) : []),
  ];
  const violations = violationsOf(resources, {
    tier: config.tier,
    internalClasses: [config.ingress.classes.internal],
    internalGateways: [],
  });
  process.stdout.write(
    `${stack}: ${resources.length} objects, ${violations.length === 0 ? 'no policy is broken' : 'FAILED'}\n`,
  );
  for (const violation of violations) process.stdout.write(`  ${violation}\n`);
  broken += violations.length;
}
process.exitCode = broken === 0 ? 0 : 1;
