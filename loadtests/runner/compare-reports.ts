import type { Report } from '../lib/report.types.ts';

/** One number of two runs, side by side. */
interface Row {
  readonly says: string;
  readonly before: string;
  readonly after: string;
  readonly change: string;
}

interface Comparison {
  readonly rows: readonly Row[];
  /** Thresholds that held before and do not hold any more. */
  readonly broken: readonly string[];
}

/** Lists the numbers worth comparing, in this order. A rate has only its share. */
const compared = ['count', 'rate', 'med', 'p(95)', 'p(99)', 'max'] as const;

const show = (value: number | undefined): string =>
  value === undefined ? '-' : String(Math.round(value * 100) / 100);

const changeOf = (before: number | undefined, after: number | undefined): string => {
  if (before === undefined || after === undefined || before === 0) return '';
  const percent = Math.round((after / before - 1) * 100);
  return percent === 0 ? '' : `${percent > 0 ? '+' : ''}${percent} %`;
};

type Seen = Pick<Report['figures'][number], 'says' | 'values'>;

const seenIn = ({ verdicts, figures }: Report): Map<string, Seen> =>
  new Map([
    ...verdicts.map(
      ({ part, says, values }) => [`${part} ${says}`.trim(), { says, values }] as const,
    ),
    ...figures.map(({ says, values }) => [says, { says, values }] as const),
  ]);

/** Compares two reports of one suite: each number that both have, and what broke. */
export const compareReports = (before: Report, after: Report): Comparison => {
  const [earlier, later] = [seenIn(before), seenIn(after)];
  const rows = [...later].flatMap(([name, { values }]) =>
    compared.flatMap((number): Row[] => {
      const [was, is] = [earlier.get(name)?.values[number], values[number]];
      if (is === undefined || was === is) return [];
      return [
        {
          says: `${name}, ${number}`,
          before: show(was),
          after: show(is),
          change: changeOf(was, is),
        },
      ];
    }),
  );
  const held = new Set(before.verdicts.filter(({ ok }) => ok).map(({ threshold }) => threshold));
  const broken = after.verdicts
    .filter(({ ok, threshold }) => !ok && held.has(threshold))
    .map(({ says, threshold }) => `${says} (${threshold})`);
  return { rows, broken };
};

/** Renders a comparison as a Markdown table. */
export const asTable = (title: string, { rows, broken }: Comparison): string =>
  [
    `## ${title}`,
    '',
    '| | Before | After | |',
    '|---|---|---|---|',
    ...rows.map(
      ({ says, before, after, change }) => `| ${says} | ${before} | ${after} | ${change} |`,
    ),
    '',
    ...broken.map((words) => `* **No longer holds:** ${words}`),
    ...(broken.length === 0 ? [] : ['']),
  ].join('\n');
