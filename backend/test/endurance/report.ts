import type { Ledger, Placed } from './ledger.ts';
import { listCounts } from './run.ts';

/** Adds a finding for each answer 500. Other refusals during a store's outage are no faults. */
export const findServerErrors = (ledger: Ledger): void => {
  for (const [request, answers] of Object.entries(ledger.counts())) {
    for (const [answer, count] of Object.entries(answers)) {
      if (answer.startsWith('500')) ledger.find('a server error', `${request}: ${answer} ${count}`);
    }
  }
};

/** Returns the lines of a report, with requests, answers and findings. */
export const reportOf = (title: string, ledger: Ledger): string[] => {
  const counts = ledger.counts();
  const all = Object.values(counts).flatMap((answers) => Object.values(answers));
  const sum = all.reduce((one, other) => one + other, 0);
  const found = `${ledger.findings.length} findings`;
  return [
    `${title}: ${sum} requests, ${ledger.acknowledged.length} acknowledged, ${found}`,
    ...Object.entries(counts).map(([request, answers]) => `  ${request}: ${listCounts(answers)}`),
    ...ledger.findings.map(({ what, detail }) => `  ${what}: ${detail}`),
  ];
};

/** Counts requests by their kind. */
export const countKinds = (placed: readonly Placed[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { kind } of placed) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
