import { z } from 'zod';
import type { Figures } from './hold.types.ts';

const pointWire = z.object({
  metric: z.string(),
  type: z.literal('Point'),
  data: z.object({
    time: z.string(),
    value: z.number(),
    tags: z.record(z.string(), z.string()).default({}),
  }),
});

interface Answer {
  readonly at: number;
  readonly ms: number;
  /** Undefined for a whole 200. */
  readonly failure: string | undefined;
}

/**
 * Returns the response that a line of k6's JSON output describes, or undefined for any other line.
 */
const readLine = (line: string): Answer | undefined => {
  if (!line.includes('"metric":"hold_answer"') || !line.includes('"Point"')) return undefined;
  const { data } = pointWire.parse(JSON.parse(line));
  const failure = data.tags['failure'] ?? '';
  return {
    at: Date.parse(data.time),
    ms: data.value,
    failure: failure === '' ? undefined : `${failure} at ${data.tags['name'] ?? ''}`,
  };
};

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** Sums up k6's JSON output up to a time: what is cut off by the end of the load says nothing. */
export const readFigures = (output: string, until: number): Figures => {
  const answers = output
    .split('\n')
    .map(readLine)
    .filter((answer) => answer !== undefined && answer.at <= until) as Answer[];
  const failed = answers.filter(({ failure }) => failure !== undefined);
  const reasons = new Map<string, number>();
  for (const { failure = '' } of failed) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
  const times = failed.map(({ at }) => at);
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    sent: answers.length,
    failed: failed.length,
    reasons,
    troubleSeconds: times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / 1000,
    medianMs: share(sorted, 0.5),
    p99Ms: share(sorted, 0.99),
  };
};
