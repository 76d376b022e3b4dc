// Makes kubeconform's schemas from the API document of one Kubernetes release:
//   node kubernetes-schemas.mjs swagger.json FOLDER
// One self-contained file for each kind, named as kubeconform looks them up, that refuses unknown
// fields.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const [, , source, folder] = process.argv;
const { definitions } = JSON.parse(readFileSync(source, 'utf8'));
const prefix = '#/definitions/';

// Text in YAML, though the document's type says otherwise: quantities and such come as either.
const intOrString = { oneOf: [{ type: 'string' }, { type: 'integer' }] };
const quantity = { oneOf: [{ type: 'string' }, { type: 'number' }] };

const strict = (schema, name) => {
  if (schema['x-kubernetes-preserve-unknown-fields']) return schema;
  if (name.endsWith('.util.intstr.IntOrString')) return intOrString;
  if (name.endsWith('.api.resource.Quantity')) return quantity;
  if (schema.properties === undefined || schema.additionalProperties !== undefined) return schema;
  return { ...schema, additionalProperties: false };
};

/** Every definition that `name` leads to, itself among them. */
const reach = (name, found) => {
  if (found.has(name)) return found;
  const schema = strict(definitions[name], name);
  found.set(name, schema);
  for (const [, next] of JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/gu)) {
    reach(next, found);
  }
  return found;
};

/** `deployment-apps-v1.json`, `service-v1.json`: the first label of the group, then the version. */
const fileName = ({ group, version, kind }) =>
  [kind, ...(group === '' ? [] : [group.split('.')[0]]), version].join('-').toLowerCase() + '.json';

const withKind = (schema, { group, version, kind }) => ({
  ...schema,
  required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])],
  properties: {
    ...schema.properties,
    apiVersion: { enum: [group === '' ? version : `${group}/${version}`] },
    kind: { enum: [kind] },
  },
});

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let count = 0;
for (const [name, definition] of Object.entries(definitions)) {
  const kinds = definition['x-kubernetes-group-version-kind'] ?? [];
  // Kinds that share a definition (DeleteOptions, in every group) are no manifests.
  if (kinds.length !== 1 || definition.properties?.metadata === undefined) continue;
  const reached = reach(name, new Map());
  const root = withKind(reached.get(name), kinds[0]);
  const schema = { ...root, definitions: Object.fromEntries(reached) };
  writeFileSync(join(folder, fileName(kinds[0])), JSON.stringify(schema));
  count += 1;
}
process.stdout.write(`${count} kinds\n`);
if (!JSON.stringify(definitions).includes(prefix)) process.exitCode = 1;
