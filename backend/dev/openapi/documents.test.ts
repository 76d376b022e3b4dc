import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildDocuments } from './write-documents.ts';

const schemaShape = z.looseObject({ examples: z.array(z.unknown()).default([]) });
const contentShape = z
  .looseObject({ 'application/json': z.looseObject({ schema: z.looseObject({}) }).optional() })
  .default({});
const documentShape = z.looseObject({
  info: z.looseObject({ description: z.string() }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        requestBody: z.looseObject({ content: contentShape }).optional(),
        responses: z.record(z.string(), z.looseObject({ content: contentShape })),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), schemaShape) }),
});

/** Returns the operations whose body or success is described in place, and not by its name. */
const findNameless = ({ paths }: z.output<typeof documentShape>): string[] =>
  Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .filter(({ requestBody, responses }) => {
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      return [requestBody, ...successes.map(([, response]) => response)]
        .map((part) => part?.content['application/json']?.schema)
        .some((schema) => schema !== undefined && schema['$ref'] === undefined);
    })
    .map(({ operationId }) => operationId);

/** Returns the objects inside a schema, as JSON, with the places of each. */
const findInlineObjects = (schemas: Readonly<Record<string, unknown>>) => {
  const places = new Map<string, string[]>();
  const visit = (value: unknown, place: string, isComponent: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!isComponent && 'properties' in value) {
      const shape = JSON.stringify(value);
      places.set(shape, [...(places.get(shape) ?? []), place]);
    }
    for (const [key, part] of Object.entries(value)) {
      if (key !== 'examples') visit(part, `${place}.${key}`, false);
    }
  };
  for (const [id, schema] of Object.entries(schemas)) visit(schema, id, true);
  return places;
};

describe.each(['customer', 'admin'] as const)('the OpenAPI document of the %s API', (name) => {
  let document: z.output<typeof documentShape>;
  beforeAll(async () => {
    const documents = await buildDocuments();
    document = documentShape.parse(JSON.parse(JSON.stringify(documents[name])));
  });

  it('each document begins with a first call, money and repeated requests, in curl and TypeScript', () => {
    const { description } = document.info;
    expect(description).toMatch(/\n# A first (?:purchase|call)\n[^]*\n# Money\n[^]*\n# \w/u);
    for (const step of ['**Sign in**', '**Authorise**', '```sh', '```ts']) {
      expect(description).toContain(step);
    }
  });

  it('each document names the body of every request and of every success', () => {
    expect(findNameless(document)).toEqual([]);
  });

  it('each document defines no inline object twice', () => {
    const repeats = [...findInlineObjects(document.components.schemas).values()].filter(
      (places) => places.length > 1,
    );
    expect(repeats).toEqual([]);
  });

  it('each document has an example of every component but the pages of one', () => {
    const without = Object.entries(document.components.schemas)
      .filter(([id, { examples }]) => examples.length === 0 && !id.endsWith('Page'))
      .map(([id]) => id);
    expect(without).toEqual([]);
  });

  it('each document has only examples that fit their schemas', () => {
    const text = JSON.stringify(document.components.schemas);
    const $defs = z
      .record(z.string(), schemaShape)
      .parse(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
    const misfits = Object.entries($defs).flatMap(([id, schema]) => {
      const accepted = z.fromJSONSchema({ ...schema, $defs });
      return schema.examples.flatMap((example) => {
        const { error } = accepted.safeParse(example);
        return error === undefined ? [] : [`${id}: ${z.prettifyError(error)}`];
      });
    });
    expect(misfits).toEqual([]);
  });
});
