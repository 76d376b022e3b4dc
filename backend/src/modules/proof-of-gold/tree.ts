import { createHmac, hash } from 'node:crypto';
import { grams as asGrams, type Grams } from '../../money/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';

/*
 * The Merkle-sum tree. A node is 48 bytes: its hash, and the sum of the grams below it as a whole
 * number of 0.00000001 g. Whatever is hashed begins with a byte that says what it is, and holds the
 * sums of both children, not only their total: a node can be opened in one way alone.
 */

const [idBytes, hashBytes, sumBytes] = [16, 32, 16];
/** A hash and a sum. */
export const nodeBytes = hashBytes + sumBytes;

const [leafMark, nodeMark, emptyMark, commitmentMark, saltMark] = [0, 1, 2, 3, 4];

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** More than a NUMERIC(20,8) holds. With 2^40 leaves of it a sum is still far below 2^127. */
const leafLimit = 10n ** 20n;

const low64 = 0xff_ff_ff_ff_ff_ff_ff_ffn;

const writeSum = (to: Buffer, at: number, sum: bigint): void => {
  to.writeBigUInt64BE(sum >> 64n, at);
  to.writeBigUInt64BE(sum & low64, at + 8);
};

const readSum = (from: Buffer, at: number): bigint =>
  (from.readBigUInt64BE(at) << 64n) | from.readBigUInt64BE(at + 8);

export const hashOf = (node: Buffer): Buffer => node.subarray(0, hashBytes);
export const sumOf = (node: Buffer): Grams => asGrams(readSum(node, hashBytes));

const uuidBytes = (id: string): Buffer => {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  invariant(bytes.length === idBytes, 'an id has 16 bytes');
  return bytes;
};

/** Makes the key by which the order of the leaves of a run is drawn. */
export const orderKeyOf = (saltKey: Uint8Array): Buffer =>
  createHmac('sha256', saltKey).update('order').digest();

/**
 * Makes the salt of a customer's leaf, which can't be guessed without the key of the run. Key and
 * id each have a fixed length, so that nothing can be appended to the hashed bytes.
 */
export const saltOf = (saltKey: Uint8Array, userId: string): Buffer => {
  invariant(saltKey.length === hashBytes, 'a key of salts has 32 bytes');
  return sha256(Buffer.concat([Buffer.of(saltMark), saltKey, uuidBytes(userId)]));
};

/** Commits to a customer. Without the salt it does not reveal which one. */
export const commitmentOf = (salt: Uint8Array, userId: string): Buffer =>
  sha256(Buffer.concat([Buffer.of(commitmentMark), salt, uuidBytes(userId)]));

/**
 * Makes the leaf of a commitment and its grams, bound to the statement that it is of.
 * @throws InvariantError for grams that are not above zero, or more than a holding can be
 */
export const leafOf = (statementId: string, commitment: Uint8Array, grams: bigint): Buffer => {
  invariant(grams > 0n && grams < leafLimit, 'a leaf has grams above zero');
  const sumAt = 1 + idBytes + hashBytes;
  const body = Buffer.alloc(sumAt + sumBytes);
  body[0] = leafMark;
  uuidBytes(statementId).copy(body, 1);
  body.set(commitment, 1 + idBytes);
  writeSum(body, sumAt, grams);
  return Buffer.concat([sha256(body), body.subarray(sumAt)]);
};

/** Writes the parent of two neighbours, which stand one behind the other in `nodes`. */
const writeParent = (nodes: Buffer, from: number, above: Buffer, at: number): void => {
  const body = Buffer.alloc(1 + 2 * nodeBytes);
  body[0] = nodeMark;
  nodes.copy(body, 1, from, from + 2 * nodeBytes);
  sha256(body).copy(above, at);
  const [left, right] = [from + hashBytes, from + nodeBytes + hashBytes];
  writeSum(above, at + hashBytes, readSum(nodes, left) + readSum(nodes, right));
};

/** The root of a tree without leaves. */
const emptyRoot = (): Buffer =>
  Buffer.concat([sha256(Buffer.of(emptyMark)), Buffer.alloc(sumBytes)]);

const nodeAt = (nodes: Buffer, at: number): Buffer =>
  nodes.subarray(at * nodeBytes, (at + 1) * nodeBytes);

/** Returns the level above. A last node without a neighbour goes up as it is. */
const levelAbove = (nodes: Buffer): Buffer => {
  const count = nodes.length / nodeBytes;
  const above = Buffer.alloc(((count + 1) >>> 1) * nodeBytes);
  for (let at = 0; at + 1 < count; at += 2) {
    writeParent(nodes, at * nodeBytes, above, (at / 2) * nodeBytes);
  }
  if (count % 2 === 1) nodeAt(nodes, count - 1).copy(above, above.length - nodeBytes);
  return above;
};

const topOf = (nodes: Buffer): Buffer => {
  let level = nodes;
  while (level.length > nodeBytes) level = levelAbove(level);
  return level;
};

/** Levels between two that are kept, and the nodes of a piece of one, which has one node above. */
const levelsApart = 8;
export const chunkNodes = 2 ** levelsApart;

/** Neighbouring nodes of a kept level. */
export interface Chunk {
  readonly level: number;
  readonly chunk: number;
  readonly nodes: Buffer;
}

interface OpenLevel {
  readonly nodes: Buffer;
  count: number;
  written: number;
}

/**
 * Builds a tree from its leaves in their order, in a memory that does not grow with them: of each
 * kept level it holds the chunk that is being filled. `keep` gets every chunk that is full.
 */
export const createTreeBuilder = (keep: (chunk: Chunk) => void) => {
  const levels: OpenLevel[] = [];

  const close = (at: number, open: OpenLevel): Buffer => {
    const nodes = Buffer.from(open.nodes.subarray(0, open.count * nodeBytes));
    keep({ level: at * levelsApart, chunk: open.written, nodes });
    open.written += 1;
    open.count = 0;
    return topOf(nodes);
  };

  const add = (node: Buffer, at = 0): void => {
    const open = (levels[at] ??= {
      nodes: Buffer.alloc(chunkNodes * nodeBytes),
      count: 0,
      written: 0,
    });
    node.copy(open.nodes, open.count * nodeBytes);
    open.count += 1;
    if (open.count === chunkNodes) add(close(at, open), at + 1);
  };

  return {
    add: (leaf: Buffer): void => add(leaf),
    /** Closes what is open and returns the root. */
    finish(): Buffer {
      for (let at = 0; ; at += 1) {
        const open = levels[at];
        if (open === undefined) return emptyRoot();
        const isTop = open.written === 0 && levels[at + 1] === undefined;
        if (isTop) return at > 0 && open.count === 1 ? nodeAt(open.nodes, 0) : close(at, open);
        if (open.count > 0) add(close(at, open), at + 1);
      }
    },
  };
};

/** Names the chunks in which the neighbours along the way of a leaf to the root are. */
export const chunksOnPath = (position: number, accounts: number): Omit<Chunk, 'nodes'>[] => {
  const found: Omit<Chunk, 'nodes'>[] = [];
  let [at, size] = [position, accounts];
  for (let level = 0; size > 1; level += levelsApart) {
    found.push({ level, chunk: at >>> levelsApart });
    at = at >>> levelsApart;
    size = (size + chunkNodes - 1) >>> levelsApart;
  }
  return found;
};

/** Returns the neighbours of a leaf along its way to the root, the leaf's own first. */
export const pathOf = (
  position: number,
  accounts: number,
  nodesOf: (chunk: Omit<Chunk, 'nodes'>) => Buffer,
): Buffer[] => {
  const path: Buffer[] = [];
  for (const { level, chunk } of chunksOnPath(position, accounts)) {
    let nodes = nodesOf({ level, chunk });
    let at = (position >>> level) % chunkNodes;
    while (nodes.length > nodeBytes) {
      const neighbour = nodeAt(nodes, at % 2 === 0 ? at + 1 : at - 1);
      if (neighbour.length > 0) path.push(neighbour);
      nodes = levelAbove(nodes);
      at >>>= 1;
    }
  }
  return path;
};
