import type { Failure } from './play-story.ts';
import type { Step } from './story.ts';

/** Writes a value as code in the house style. */
const codeOf = (value: unknown): string => {
  if (typeof value === 'string') return `'${value.replaceAll("'", String.raw`\'`)}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, one]) => `${name}: ${codeOf(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};

const lineOf = ([name, given]: Step): string => `    ['${name}', ${codeOf(given)}],`;

/** Writes a story as a test that can be pasted into `stories.test.ts`. */
export const printStory = ({ check, steps }: Failure): string =>
  [
    `it('holds: ${check.replaceAll("'", '’')}', async ({ play }) => {`,
    '  const played = await play([',
    ...steps.map(lineOf),
    '  ]);',
    `  expect(played).toBe(${steps.length});`,
    '});',
  ].join('\n');
