import { expect, it } from 'vitest';
import { valuesSchema } from './values-schema.ts';

const kubernetes = new Map([
  ['io.k8s.api.core.v1.Affinity', { type: 'object', properties: {} }],
  [
    'io.k8s.api.core.v1.Container',
    { properties: { env: { items: { $ref: '#/definitions/io.k8s.api.core.v1.EnvVar' } } } },
  ],
  ['io.k8s.api.core.v1.EnvVar', { type: 'object', required: ['name'] }],
  ['io.k8s.api.core.v1.Pod', { type: 'object' }],
]);

const schemaOf = (text: string) => valuesSchema(text, kubernetes);

it('takes types from defaults, and descriptions from the comments that helm-docs reads', () => {
  const { properties, additionalProperties } = schemaOf(`
# -- Pods of it,
# at least
replicas: 2
part:
  enabled: true
  # No description
  name: ""
`);
  expect(additionalProperties).toBe(false);
  expect(properties).toEqual({
    replicas: { type: 'integer', description: 'Pods of it, at least' },
    part: {
      type: 'object',
      additionalProperties: false,
      properties: { enabled: { type: 'boolean' }, name: { type: 'string' } },
    },
  });
});

it('takes what a comment says, and the definitions that it names', () => {
  const { properties, definitions } = schemaOf(`
# @define port {type: integer,
# @define port   minimum: 1}

# @schema {enum: [a, b]}
# -- Which
mode: a
# @schema port
port: 80
# @schema {minimum: 0}
count: 1
# @schema [port]
ports: []
`);
  expect(properties).toEqual({
    mode: { enum: ['a', 'b'], description: 'Which' },
    port: { allOf: [{ $ref: '#/definitions/port' }] },
    count: { type: 'integer', minimum: 0 },
    ports: { type: 'array', items: { $ref: '#/definitions/port' } },
  });
  expect(definitions).toEqual({ port: { type: 'integer', minimum: 1 } });
});

it("brings Kubernetes' own definitions along, with all that they refer to and no others", () => {
  const { definitions } = schemaOf('# @schema [core.v1.Container]\nextraContainers: []\n');
  expect(Object.keys(definitions as object)).toEqual([
    'io.k8s.api.core.v1.Container',
    'io.k8s.api.core.v1.EnvVar',
  ]);
});

it("takes another part's comments where it is told to, and its own before them", () => {
  const { properties } = schemaOf(`
customer:
  # @schema {minimum: 1}
  replicas: 2
  inner:
    # @schema core.v1.Affinity
    affinity: {}
# @like customer
worker:
  replicas: 3
  inner:
    affinity: {}
    # @schema {minimum: 5}
    more: 7
`);
  const { worker } = properties as Record<string, { properties: object }>;
  expect(worker?.properties).toEqual({
    replicas: { type: 'integer', minimum: 1 },
    inner: {
      type: 'object',
      additionalProperties: false,
      properties: {
        affinity: { allOf: [{ $ref: '#/definitions/io.k8s.api.core.v1.Affinity' }] },
        more: { type: 'integer', minimum: 5 },
      },
    },
  });
});

it('leaves a part open where its comment says so', () => {
  const { properties } = schemaOf('# @schema {additionalProperties: true}\nglobal:\n  a: ""\n');
  expect(properties).toEqual({
    global: { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
  });
});

it.each([
  ['list: []\n', 'list needs a comment with @schema'],
  ['part:\n  map: {}\n', 'part.map needs a comment with @schema'],
  ['# @schema nothing\na: ""\n', 'there is no definition nothing'],
])('refuses %j', (text, message) => {
  expect(() => schemaOf(text)).toThrow(message);
});
