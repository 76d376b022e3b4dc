import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { readKubernetesDefinitions } from '../src/schema/kubernetes-definitions.ts';
import { printSchema, valuesSchema } from '../src/schema/values-schema.ts';

/**
 * Writes the chart's values.schema.json from the comments of its values.yaml. With `--check` it
 * writes nothing, and exits with 1 if the file is out of date:
 *
 *   write-values-schema.ts CHART SCHEMAS [--check]
 *
 * SCHEMAS is the folder of Kubernetes' schemas that `make tools` creates.
 */
const [, , chart = '', schemas = '', option] = process.argv;
const schemaFile = `${chart}/values.schema.json`;
const schema = valuesSchema(
  readFileSync(`${chart}/values.yaml`, 'utf8'),
  readKubernetesDefinitions(schemas),
);
const text = printSchema(schema);
if (option !== '--check') writeFileSync(schemaFile, text);
else if (readFileSync(schemaFile, 'utf8') !== text) process.exitCode = 1;
