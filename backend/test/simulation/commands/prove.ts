import {
  fineUnits,
  hashOf,
  isSigned,
  topOf,
  type Proof,
  type Signed,
} from '../model/proof-of-gold.ts';
import type { Customer } from '../model/world.ts';
import { allow, busy, isTroubled, Refuted, same, type Command, type Story } from '../story.ts';

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

/** Units of 0.00000001 g that a customer has by the story. */
const heldBy = ({ balance }: Customer): bigint => BigInt(balance) * 10_000n;

const fits = (what: string, isRight: boolean, detail: unknown): void => {
  if (!isRight) throw new Refuted(`proof of gold: ${what}`, JSON.stringify(detail));
};

/** Holds what a statement says of all customers to what the story has of them. */
const holdStatement = ({ world }: Story, { statement, ...published }: Published): void => {
  fits('the text is another one', published.signed === JSON.stringify(statement), published);
  fits('it is not signed', isSigned(published), published);
  same('hash of a statement', published.hash, hashOf(published));
  const holders = world.customers.filter(({ balance }) => balance > 0);
  same('accounts of a statement', statement.accounts, holders.length);
  const held = holders.reduce((sum, customer) => sum + heldBy(customer), 0n);
  fits('another total', fineUnits(statement.liabilities) === held, { statement, held: `${held}` });
  const { confirmed, difference, house, open } = statement;
  const more = fineUnits(confirmed) - held;
  const isExplained = fineUnits(difference) === more && fineUnits(house) + fineUnits(open) === more;
  fits('the difference is not explained', isExplained, statement);
};

/** Holds the chain of statements: each names the one before, and none is changed afterwards. */
const holdChain = async ({ sessions, world }: Story): Promise<void> => {
  const path = '/v1/proof-of-gold/statements?limit=100';
  const answer = await sessions.operator('SUPPORT', 'GET', path);
  allow('statements', answer, ['200', ...busy]);
  const items: readonly Published[] = answer.body.items ?? [];
  for (const [index, { statement }] of items.entries()) {
    const before = items[index + 1];
    if (before === undefined) break;
    same('number of the statement before', before.statement.sequence, statement.sequence - 1);
    same('hash of the statement before', statement.previous, hashOf(before));
  }
  const { newestProof } = world;
  const known = items.find(({ statement }) => statement.sequence === newestProof?.sequence);
  if (known !== undefined) same('a statement of before', hashOf(known), newestProof?.hash);
  const [newest] = items;
  if (newest !== undefined) {
    world.newestProof = { sequence: newest.statement.sequence, hash: hashOf(newest) };
  }
};

/** Holds every customer's own proof to the root: who has gold is in the tree, and nobody else. */
const holdProofs = async ({ sessions, world }: Story, { statement, signed }: Published) => {
  const places = new Set<number>();
  for (const customer of world.customers) {
    if (customer.deleted || customer.blocked) continue;
    const answer = await sessions.customer(customer.phone, 'GET', '/v1/portfolio/proof');
    allow('own proof', answer, [customer.balance > 0 ? '200' : '404 NOT_FOUND', ...busy]);
    if (answer.status !== 200) continue;
    const proof: Proof = answer.body;
    same('statement of an own proof', proof.signed, signed);
    same('customer of an own proof', proof.customer, customer.userId);
    fits('other grams', fineUnits(proof.grams) === heldBy(customer), { proof, customer });
    fits('one place twice', !places.has(proof.position), proof);
    places.add(proof.position);
    const top = topOf(proof, statement);
    const isTop = top?.root === statement.root && top.units === fineUnits(statement.liabilities);
    fits('the path does not lead to the signed root', isTop, { proof, statement });
  }
};

/** Reasons for which nothing is signed, which a story without trouble never has. */
const mayBeRefused = ({ world }: Story, reason: string): boolean =>
  isTroubled(world) ||
  // An order whose bought amount is not the promised one is under review.
  (reason === 'BOOKS_DIFFER' && world.buys.some(({ wasTroubled }) => wasTroubled));

/**
 * A statement of all gold is signed, and every customer verifies their own part of it. It is
 * refused where the gold provider misbehaves.
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
        fits('refused', mayBeRefused(story, String(reason)), run.body);
        return asked;
      }
      if (status !== 'PUBLISHED') {
        fits('not made', isTroubled(world), run.body);
        return asked;
      }
      const shown = await sessions.anybody('GET', '/v1/public/proof-of-gold');
      allow('statement', shown, ['200', ...busy]);
      if (shown.status !== 200) return asked;
      const published: Published = shown.body;
      same('number of the newest statement', published.statement.sequence, sequence);
      holdStatement(story, published);
      await holdChain(story);
      await holdProofs(story, published);
      return asked;
    },
    judge: (_world, answer) => allow('run of a proof', answer, ['202', ...busy]),
  }),
};
