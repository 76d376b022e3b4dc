import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';

const heading = '// Made from the OpenAPI document of the same name by `make generate`.\n\n';

/** Writes `<name>.ts`, the types of an API, beside each `<name>.json` of `folder`. */
export const generateTypes = async (folder: string): Promise<void> => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const text = readFileSync(join(folder, file), 'utf8');
    const target = join(folder, `${basename(file, '.json')}.ts`);
    const nodes = await openapiTypescript(text, { alphabetize: false });
    const types = heading + astToString(nodes);
    if (!existsSync(target) || readFileSync(target, 'utf8') !== types) writeFileSync(target, types);
  }
};
