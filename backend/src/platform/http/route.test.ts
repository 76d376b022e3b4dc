import { expect, it } from 'vitest';
import { z } from 'zod';
import { validateInput } from './validate-input.ts';

/** Returns what a schema makes of a body, or the fields that it refuses. */
const read = (schema: z.ZodType, parsedBody: unknown): unknown => {
  const input = { params: {}, query: {}, parsedBody };
  try {
    return validateInput({ body: schema }, input).body;
  } catch (error) {
    const { details } = error as { details: readonly { field: string }[] }; // an AppError
    return details.map(({ field }) => field);
  }
};

const line = z.object({ id: z.string(), note: z.string().optional() });
const order = z.object({
  name: z.string(),
  colour: z.string().optional(),
  cleared: z.string().nullish(),
  size: z.enum(['S', 'M']).default('M'),
  place: z.object({ city: z.string(), lane: z.string().optional() }).optional(),
  lines: z.array(line).optional(),
  contact: z
    .union([z.object({ mail: z.string(), cc: z.string().optional() }), z.string()])
    .optional(),
});

it('a route reads null as absent wherever the field may be absent', () => {
  const body = {
    name: 'ring',
    colour: null,
    size: null,
    place: { city: 'Kochi', lane: null },
    lines: [{ id: 'a', note: null }],
    contact: { mail: 'a@b', cc: null },
  };
  expect(read(order, body)).toEqual({
    name: 'ring',
    size: 'M',
    place: { city: 'Kochi' },
    lines: [{ id: 'a' }],
    contact: { mail: 'a@b' },
  });
  expect(read(order, { name: 'ring', place: null, lines: null, contact: null })).toEqual({
    name: 'ring',
    size: 'M',
  });
});

it('a route keeps a null that means something', () => {
  expect(read(order, { name: 'ring', cleared: null })).toMatchObject({ cleared: null });
  expect(read(z.object({ any: z.unknown() }), { any: null })).toEqual({ any: null });
});

it('a route reads null as absent before the rules of the whole', () => {
  const either = z
    .object({ a: z.string().optional(), b: z.string().optional() })
    .refine(({ a, b }) => (a === undefined) !== (b === undefined), 'one of them');
  expect(read(either, { a: 'x', b: null })).toEqual({ a: 'x' });
  expect(read(either, { a: null, b: null })).toEqual(['body']);
});

it('a route refuses null for what is required, and in a list', () => {
  expect(read(order, { name: null, colour: null })).toEqual(['name']);
  expect(read(order, { name: 'ring', lines: [null] })).toEqual(['lines.0']);
  expect(read(order, { name: 'ring', place: { city: null } })).toEqual(['place.city']);
  expect(read(order, null)).toEqual(['body']);
});
