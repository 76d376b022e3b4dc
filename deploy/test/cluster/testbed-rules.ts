import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const testbedFile = fileURLToPath(
  new URL('../../../charts/digital-gold/ci/testbed-values.yaml', import.meta.url),
);

const valuesSchema = z.looseObject({
  networkPolicy: z.looseObject({ egress: z.looseObject({ extra: z.array(z.unknown()) }) }),
});

/** Returns the further rules of the network that the service needs beside a testbed. */
export const testbedRules = (): readonly unknown[] =>
  valuesSchema.parse(parse(readFileSync(testbedFile, 'utf8'))).networkPolicy.egress.extra;
