import { hash, verify, createPublicKey } from 'node:crypto';
import { z } from 'zod';

/*
 * An independent verifier of proofs of gold. It trusts no response of the service and uses no code of
 * the service (contract: proof-of-gold > Tree).
 */

/** A statement alone, or with a customer's own leaf. */
export const proofFile = z.looseObject({
  signed: z.string(),
  signatures: z
    .array(z.object({ publicKey: z.string().length(43), signature: z.string().length(86) }))
    .min(1),
});
export type ProofFile = z.infer<typeof proofFile>;

const decimal = z.string().regex(/^\d{1,22}\.\d{8}$/u);
const digest = z.string().regex(/^[\w-]{43}$/u);

/** A customer's own leaf, with its path to the root. */
export const leafForm = proofFile.extend({
  customer: z.uuid(),
  grams: decimal,
  salt: digest,
  position: z.int().min(0),
  path: z.array(z.object({ hash: digest, grams: decimal })).max(40),
});
type Leaf = z.infer<typeof leafForm>;

const statementForm = z.looseObject({
  format: z.literal('proof-of-gold/1'),
  id: z.uuid(),
  sequence: z.int(),
  day: z.string(),
  moment: z.string(),
  accounts: z.int().min(0),
  root: digest,
  liabilities: decimal,
  confirmed: decimal,
  provider: z.string(),
  previous: digest.nullable(),
});
export type Statement = z.infer<typeof statementForm>;

/** Thrown for a proof that is not valid. The message is the reason. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
}

const must: (condition: boolean, message: string) => asserts condition = (condition, message) => {
  if (!condition) throw new NotProven(message);
};

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  hash('sha256', Buffer.concat(parts), 'buffer');

const unitsOf = (grams: string): bigint => BigInt(grams.replace('.', ''));
const idOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

interface Node {
  readonly hash: Buffer;
  readonly sum: bigint;
}

const sumBytes = (sum: bigint): Buffer => {
  must(sum >= 0n && sum < 2n ** 127n, 'a sum is out of bounds');
  return Buffer.from(sum.toString(16).padStart(32, '0'), 'hex');
};

const leafNode = (statement: Statement, commitment: Buffer, sum: bigint): Node => {
  must(sum > 0n, 'a leaf is empty');
  const id = idOf(statement.id);
  return { hash: sha256(Buffer.of(0), id, commitment, sumBytes(sum)), sum };
};

const parentOf = (left: Node, right: Node): Node => ({
  hash: sha256(Buffer.of(1), left.hash, sumBytes(left.sum), right.hash, sumBytes(right.sum)),
  sum: left.sum + right.sum,
});

const mustBeRoot = (root: Node, statement: Statement): void => {
  must(
    root.hash.equals(bytesOf(statement.root)),
    'the root of the tree differs from the signed root',
  );
  must(
    root.sum === unitsOf(statement.liabilities),
    'the sum of the balances differs from the signed total',
  );
};

/**
 * Checks the signatures and returns the signed statement.
 * @throws NotProven
 */
export const readSigned = ({ signed, signatures }: ProofFile, key?: string): Statement => {
  for (const { publicKey, signature } of signatures) {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey };
    const isValid = verify(
      null,
      Buffer.from(signed, 'utf8'),
      createPublicKey({ key: jwk, format: 'jwk' }),
      bytesOf(signature),
    );
    must(isValid, `the signature of ${publicKey} does not match this statement`);
  }
  const isKnown = key === undefined || signatures.some(({ publicKey }) => publicKey === key);
  must(isKnown, 'the key that you gave did not sign this statement');
  const statement = statementForm.safeParse(JSON.parse(signed));
  must(statement.success, 'the statement has an unexpected format');
  return statement.data;
};

/**
 * Checks that a statement follows the previous statement.
 * @throws NotProven
 */
export const mustFollow = (statement: Statement, previous: ProofFile): void => {
  readSigned(previous);
  const named = sha256(Buffer.from(previous.signed, 'utf8')).toString('base64url');
  must(statement.previous === named, 'the statement does not follow the previous one');
};

/**
 * Checks that the path of a customer's leaf leads to the signed root.
 * @throws NotProven
 */
export const verifyLeaf = (leaf: Leaf, statement: Statement): void => {
  must(leaf.position < statement.accounts, 'the position is outside the tree');
  const customer = idOf(leaf.customer);
  const commitment = sha256(Buffer.of(3), bytesOf(leaf.salt), customer);
  let node = leafNode(statement, commitment, unitsOf(leaf.grams));
  const remaining = [...leaf.path];
  let [index, size] = [leaf.position, statement.accounts];
  while (size > 1) {
    const isRight = index % 2 === 1;
    if (isRight || index + 1 < size) {
      const next = remaining.shift();
      must(next !== undefined, 'the path is too short');
      const neighbour = { hash: bytesOf(next.hash), sum: unitsOf(next.grams) };
      node = isRight ? parentOf(neighbour, node) : parentOf(node, neighbour);
    }
    [index, size] = [index >>> 1, (size + 1) >>> 1];
  }
  must(remaining.length === 0, 'the path is too long');
  mustBeRoot(node, statement);
};

const record = /^(?<commitment>[\w-]{43}),(?<grams>\d{1,22}\.\d{8})$/u;

/**
 * Rebuilds the tree from the leaves of an export, line by line, and checks its root. Returns the number
 * of leaves. Besides the commitments, only one node of each level is in memory.
 * @throws NotProven
 */
export const rebuild = async (
  lines: AsyncIterable<string>,
  statement: Statement,
): Promise<number> => {
  /** The complete subtrees, largest first. Each has 2^level leaves. */
  const open: { readonly node: Node; readonly level: number }[] = [];
  const seen = new Set<string>();
  let count = 0;
  for await (const line of lines) {
    if (line === 'commitment,grams' || line === '') continue;
    const { commitment = '', grams = '' } = record.exec(line)?.groups ?? {};
    must(commitment !== '', `line ${count + 2} is not a leaf`);
    must(!seen.has(commitment), `line ${count + 2} repeats a commitment`);
    seen.add(commitment);
    let [node, level] = [leafNode(statement, bytesOf(commitment), unitsOf(grams)), 0];
    for (let last = open.at(-1); last?.level === level; last = open.at(-1)) {
      open.pop();
      [node, level] = [parentOf(last.node, node), level + 1];
    }
    open.push({ node, level });
    count += 1;
  }
  must(count === statement.accounts, `there are ${count} leaves, not ${statement.accounts}`);
  const root = open.reduceRight<Node | undefined>(
    (right, { node }) => (right === undefined ? node : parentOf(node, right)),
    undefined,
  );
  mustBeRoot(root ?? { hash: sha256(Buffer.of(2)), sum: 0n }, statement);
  return count;
};
