import { withConnection } from '../../dev/stack/database-setup.ts';
import { atOneMoment, findBrokenRules } from '../../src/modules/reconciliation/index.ts';
import { compareBooks } from './invariants-books.ts';
import type { Violation } from './invariants-payouts.ts';

export type { Violation } from './invariants-payouts.ts';

export interface InvariantsAt {
  /** Any role that may read. */
  readonly databaseUrl: string;
  /** The sandbox's own address: its controls show the collaborators' books. */
  readonly sandboxUrl: string;
}

/** Everything that does not hold of invariants 1 to 9 (contract: money > Invariants). */
export const findViolations = ({ databaseUrl, sandboxUrl }: InvariantsAt): Promise<Violation[]> =>
  withConnection(databaseUrl, async (client) => {
    const books = await compareBooks(client, sandboxUrl);
    const found = await atOneMoment(client, () => findBrokenRules(client));
    return [...found, ...books];
  });

const describe = ({ invariant, says, row }: Violation): string =>
  `${invariant}. ${says}:\n   ${JSON.stringify(row, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )}`;

/**
 * Holds the database, and the collaborators' books beside it, to the invariants. For the end of
 * every test that moves money, when what it began has settled.
 * @throws Error naming each one that is broken, with the row
 */
export const assertInvariants = async (at: InvariantsAt): Promise<void> => {
  const violations = await findViolations(at);
  if (violations.length === 0) return;
  throw new Error(`${violations.length} broken:\n${violations.map(describe).join('\n')}`);
};
