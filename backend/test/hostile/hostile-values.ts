const nested = (depth: number): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Parsed, so that it is a property of that name and not a prototype. */
const prototypeText: unknown = JSON.parse('{"__proto__": {"isAdmin": true}}');

/** Wrong values for any field of a body. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  9_007_199_254_740_992,
  [],
  [1],
  ['INR'],
  {},
  { $gt: '' },
  { toString: 'x', length: 3 },
  prototypeText,
  nested(30),
  '',
  ' ',
  '\0',
  'a\0b',
  "' OR 1=1 --",
  "'; DROP TABLE gold_order; --",
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '🪙🪙🪙',
  '\ud800',
  '\u202eevil',
  'A'.repeat(20_000),
  '1e308',
  '-1',
  '0',
  '0.00001',
  'NaN',
  'Infinity',
  '0x10',
  '१२३',
  '1,000',
  '__proto__',
  'constructor',
  // oxlint-disable-next-line no-template-curly-in-string
  '${7*7}',
  '%00',
  'x\r\nset-cookie: a=b',
  'null',
  'undefined',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+05:30',
];

/** One of each kind of the above, for a field of which another route has had them all. */
export const essentialValues: readonly unknown[] = [
  null,
  -1,
  [1],
  nested(30),
  '',
  'a\0b',
  '\ud800',
  'A'.repeat(20_000),
];

/** Texts that show a person something else than they are. No field of a body takes one. */
export const hidingTexts: readonly string[] = [
  'Asha\u202eoaR',
  '\u2066Asha\u2069 Rao',
  'Asha\u200e Rao',
  'Asha\u001b[2J Rao',
  'Asha\u0085Rao\u0007',
  '\u200b\u200b',
  ' \u2800\u3164\u00ad ',
];

/** A body without any field: 400 wherever one is required. */
export const emptyBodies: readonly string[] = ['', '{}', '{"__proto__": {"a": 1}}'];

/** Texts of bodies that are no JSON object, each with the error code it must get. */
export const hostileBodies: readonly { readonly text: string; readonly code: string }[] = [
  { text: '[]', code: 'VALIDATION_FAILED' },
  { text: '"text"', code: 'VALIDATION_FAILED' },
  { text: '12', code: 'VALIDATION_FAILED' },
  { text: 'null', code: 'VALIDATION_FAILED' },
  { text: '{', code: 'MALFORMED_JSON' },
  { text: '{"a": 01}', code: 'MALFORMED_JSON' },
  { text: 'unit=INR&amount=1', code: 'MALFORMED_JSON' },
  { text: '\ufeff{]', code: 'MALFORMED_JSON' },
  { text: JSON.stringify({ a: nested(200) }), code: 'MALFORMED_JSON' },
];

/** Wrong values for a query or a path, not encoded yet. */
export const hostileTexts: readonly string[] = [
  '',
  '0',
  '-1',
  '1.5',
  '1e3',
  '99999999999999999999',
  'NaN',
  "' OR 1=1 --",
  '\0',
  'a\0b',
  '..',
  '../../x',
  '🪙',
  '%',
  '[]',
  '{}',
  '__proto__',
  'A'.repeat(4000),
  '१२३',
  'null',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+05:30',
];

/** One of each kind of the above, for a parameter of which another route has had them all. */
export const essentialTexts: readonly string[] = ['', '-1', 'a\0b', '{}', 'A'.repeat(4000)];
