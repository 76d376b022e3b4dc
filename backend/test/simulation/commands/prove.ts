import {
  fineUnits,
  hashOf,
  isSigned,
  topOf,
  type Proof,
  type Signed,
} from '../model/proof-of-gold.ts';
import type { Customer } from '../model/world.ts';
import { allow, busy, hasFaults, Refuted, same, type Command, type Story } from '../story.ts';

interface Statement {
  readonly id: string;
  readonly sequence: number;
  readonly accounts: number;
  readonly root: string;
  readonly liabilities: string;
  readonly confirmed: string;
  readonly difference: string;
  readonly house: string;
  readonly open: string;
  readonly previous: string | null;
}

type Published = Signed & { readonly statement: Statement; readonly hash: string };

/** Returns the story's balance of a customer, in units of 0.00000001 g. */
const heldBy = ({ balance }: Customer): bigint => BigInt(balance) * 10_000n;

const requireThat = (what: string, isRight: boolean, detail: unknown): void => {
  if (!isRight) throw new Refuted(`proof of gold: ${what}`, JSON.stringify(detail));
};

/** Compares the totals of a statement with the story's customers. */
const checkStatement = ({ world }: Story, { statement, ...published }: Published): void => {
  requireThat('the text is another one', published.signed === JSON.stringify(statement), published);
  requireThat('it is not signed', isSigned(published), published);
  same('hash of a statement', published.hash, hashOf(published));
  const holders = world.customers.filter(({ balance }) => balance > 0);
  same('accounts of a statement', statement.accounts, holders.length);
  const held = holders.reduce((sum, customer) => sum + heldBy(customer), 0n);
  requireThat('another total', fineUnits(statement.liabilities) === held, {
    statement,
    held: `${held}`,
  });
  const { confirmed, difference, house, open } = statement;
  const more = fineUnits(confirmed) - held;
  const isExplained = fineUnits(difference) === more && fineUnits(house) + fineUnits(open) === more;
  requireThat('the difference is not explained', isExplained, statement);
};

/** Checks that each statement names the one before, and that none is changed afterwards. */
const checkChain = async ({ sessions, world }: Story): Promise<void> => {
  const path = '/v1/proof-of-gold/statements?limit=100';
  const answer = await sessions.operator('SUPPORT', 'GET', path);
  allow('statements', answer, ['200', ...busy]);
  const items: readonly Published[] = answer.body.items ?? [];
  for (const [index, { statement }] of items.entries()) {
    const previous = items[index + 1];
    if (previous === undefined) break;
    same('number of the statement before', previous.statement.sequence, statement.sequence - 1);
    same('hash of the statement before', statement.previous, hashOf(previous));
  }
  const { newestProof } = world;
  const known = items.find(({ statement }) => statement.sequence === newestProof?.sequence);
  if (known !== undefined) same('a statement of before', hashOf(known), newestProof?.hash);
  const [newest] = items;
  if (newest !== undefined) {
    world.newestProof = { sequence: newest.statement.sequence, hash: hashOf(newest) };
  }
};

/**
 * Checks every customer's own proof against the root. Every customer with gold is in the tree, and
 * nobody else.
 */
const checkProofs = async ({ sessions, world }: Story, { statement, signed }: Published) => {
  const places = new Set<number>();
  for (const customer of world.customers) {
    if (customer.deleted || customer.blocked) continue;
    const answer = await sessions.customer(customer.phone, 'GET', '/v1/portfolio/proof');
    allow('own proof', answer, [customer.balance > 0 ? '200' : '404 NOT_FOUND', ...busy]);
    if (answer.status !== 200) continue;
    const proof: Proof = answer.body;
    same('statement of an own proof', proof.signed, signed);
    same('customer of an own proof', proof.customer, customer.userId);
    requireThat('other grams', fineUnits(proof.grams) === heldBy(customer), { proof, customer });
    requireThat('one place twice', !places.has(proof.position), proof);
    places.add(proof.position);
    const top = topOf(proof, statement);
    const isTop = top?.root === statement.root && top.units === fineUnits(statement.liabilities);
    requireThat('the path does not lead to the signed root', isTop, { proof, statement });
  }
};

/**
 * Returns true if a statement may be refused for this reason, which never happens in a story
 * without trouble.
 */
const mayBeRefused = ({ world }: Story, reason: string): boolean =>
  hasFaults(world) ||
  // After a fault, an order whose bought amount differs from the promised one is under review.
  (reason === 'BOOKS_DIFFER' && world.buys.some(({ wasTroubled }) => wasTroubled));

/**
 * A statement of all gold is signed, and every customer verifies their own part of it. It may be
 * refused if the gold provider misbehaves.
 */
export const prove: Command = {
  name: 'prove',
  choose: () => ({}),
  prepare: (story) => ({
    async call() {
      const { system, sessions, world } = story;
      const asked = await sessions.operator('ADMIN', 'POST', '/v1/proof-of-gold/runs');
      if (asked.status !== 202) return asked;
      await system.queue.runTask('proof-of-gold.run');
      const run = await sessions.operator(
        'ADMIN',
        'GET',
        `/v1/proof-of-gold/runs/${asked.body.id}`,
      );
      allow('run of a statement', run, ['200', ...busy]);
      const { status, reason, sequence } = run.body;
      if (status === 'REFUSED') {
        requireThat('refused', mayBeRefused(story, String(reason)), run.body);
        return asked;
      }
      if (status !== 'PUBLISHED') {
        requireThat('not made', hasFaults(world), run.body);
        return asked;
      }
      const shown = await sessions.anybody('GET', '/v1/public/proof-of-gold');
      allow('statement', shown, ['200', ...busy]);
      if (shown.status !== 200) return asked;
      const published: Published = shown.body;
      same('number of the newest statement', published.statement.sequence, sequence);
      checkStatement(story, published);
      await checkChain(story);
      await checkProofs(story, published);
      return asked;
    },
    judge: (_world, answer) => allow('run of a proof', answer, ['202', ...busy]),
  }),
};
