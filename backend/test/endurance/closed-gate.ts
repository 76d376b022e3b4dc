import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Ground } from './ground.ts';
import type { Ledger } from './ledger.ts';

const loggedClosure = z.object({ msg: z.literal('buying is closed'), reason: z.string() });

const reasonOf = (line: string): string[] => {
  if (!line.includes('buying is closed')) return [];
  try {
    return [loggedClosure.parse(JSON.parse(line)).reason];
  } catch {
    return [line];
  }
};

/**
 * Reads the reasons for which processes closed buying, which the customers' refusal does not
 * contain.
 */
const readReasons = (logs: string): readonly string[] => {
  const names = readdirSync(logs).filter((name) => name.endsWith('.log'));
  const lines = names.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
  return [...new Set(lines.flatMap(reasonOf))];
};

/** Adds a finding if a closed gate refused buys, since nobody closes a gate in these runs. */
export const findClosedGate = ({ logs }: Ground, ledger: Ledger): void => {
  const refusal = '503 PAYMENTS_DISABLED';
  const refused = Object.values(ledger.counts()).map((answers) => answers[refusal] ?? 0);
  const count = refused.reduce((sum, one) => sum + one, 0);
  if (count === 0) return;
  const reasons = readReasons(logs).join(' | ') || 'no reason was logged';
  ledger.find('buying was closed', `${count} answers ${refusal}: ${reasons}`);
};
