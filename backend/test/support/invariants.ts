import { Client } from 'pg';
import { isPooled } from '../../src/platform/config/pooled-address.ts';
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

const findOn = async (
  client: Client,
  sandboxUrl: string,
  keepsPlans = false,
): Promise<Violation[]> => {
  const books = await compareBooks(client, sandboxUrl);
  const found = await atOneMoment(client, () => findBrokenRules(client, { keepsPlans }));
  return [...found, ...books];
};

/** Everything that does not hold of invariants 1 to 9 (contract: money > Invariants). */
export const findViolations = ({ databaseUrl, sandboxUrl }: InvariantsAt): Promise<Violation[]> =>
  withConnection(databaseUrl, (client) => findOn(client, sandboxUrl));

const describe = ({ invariant, says, row }: Violation): string =>
  `${invariant}. ${says}:\n   ${JSON.stringify(row, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )}`;

const refuse = (violations: readonly Violation[]): void => {
  if (violations.length === 0) return;
  throw new Error(`${violations.length} broken:\n${violations.map(describe).join('\n')}`);
};

/**
 * Checks the invariants over the database and the collaborators' books. It is for the end of every
 * test that moves money, when everything that it began has finished.
 * @throws Error naming each broken invariant, with the row
 */
export const assertInvariants = async (at: InvariantsAt): Promise<void> =>
  refuse(await findViolations(at));

/** The same check on a connection that is kept, for a file that makes it after every test. */
export interface Invariants {
  /**
   * Passes over `broken`, rules by their words that a test breaks on purpose.
   * @throws Error naming each other invariant that is broken, with the row
   */
  assert(broken?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Connects for the checks of a test file: PostgreSQL plans each statement once. */
export const openInvariants = async (at: InvariantsAt): Promise<Invariants> => {
  const client = new Client({ connectionString: at.databaseUrl });
  const keepsPlans = !isPooled(at.databaseUrl);
  await client.connect();
  return {
    async assert(broken = []) {
      const found = await findOn(client, at.sandboxUrl, keepsPlans);
      refuse(found.filter(({ says }) => !broken.includes(says)));
    },
    close: () => client.end(),
  };
};
