import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { readKubernetesDefinitions } from '../src/schema/kubernetes-definitions.ts';
import { printSchema, valuesSchema } from '../src/schema/values-schema.ts';

/**
 * Writes the chart's values.schema.json from the comments of its values.yaml, or with `--check`
 * says whether it is that already:
 *
 *   write-values-schema.ts CHART SCHEMAS [--check]
 *
 * SCHEMAS is the folder of Kubernetes' schemas, as `make tools` makes it.
 */
const [, , chart = '', schemas = '', how] = process.argv;
const page = `${chart}/values.schema.json`;
const schema = valuesSchema(
  readFileSync(`${chart}/values.yaml`, 'utf8'),
  readKubernetesDefinitions(schemas),
);
const text = printSchema(schema);
if (how !== '--check') writeFileSync(page, text);
else if (readFileSync(page, 'utf8') !== text) process.exitCode = 1;
