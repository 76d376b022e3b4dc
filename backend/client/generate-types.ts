import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** `npm run generate`: writes the types of an API, `<name>.ts`, beside each `<name>.json`. */

const folder = join(import.meta.dirname, 'src', 'generated');
const makers = [import.meta.filename, join(import.meta.dirname, 'package.json')];
const heading = '// Made from the OpenAPI document of the same name by `make generate`.\n\n';

const changedAt = (file: string): number => (existsSync(file) ? statSync(file).mtimeMs : 0);

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const [source, target] = [join(folder, file), join(folder, `${basename(file, '.json')}.ts`)];
  // A document that would stay the same is not written again: see the backend's dev/openapi.
  if (changedAt(target) > Math.max(...[source, ...makers].map(changedAt))) continue;
  // This loads the whole of TypeScript, so it is done only if there is something to do.
  const { astToString, default: openapiTypescript } = await import('openapi-typescript');
  const nodes = await openapiTypescript(readFileSync(source, 'utf8'), {
    // A field with a default may be left out of a request. `required` names those of an answer.
    defaultNonNullable: false,
  });
  writeFileSync(target, heading + astToString(nodes));
}
