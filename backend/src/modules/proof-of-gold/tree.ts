import { createHmac, hash } from 'node:crypto';
import { grams as asGrams, type Grams } from '../../money/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';

/*
 * The Merkle-sum tree. A node has 48 bytes. They are its hash, and the sum of the grams below it as a
 * whole number of 0.00000001 g. All hashed bytes begin with a byte for their kind, so that no node can
 * pass as a leaf. A parent hashes the sums of both children and not only their total, so that no
 * child can be shown with another sum.
 */

const [idBytes, hashBytes, sumBytes] = [16, 32, 16];
/** The length of a node, which is a hash and a sum. */
export const nodeBytes = hashBytes + sumBytes;

const [leafMark, nodeMark, emptyMark, commitmentMark, saltMark] = [0, 1, 2, 3, 4];

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** The limit of a leaf, above the range of NUMERIC(20,8). 2^40 such leaves are far below 2^127. */
const leafLimit = 10n ** 20n;

const low64 = 0xff_ff_ff_ff_ff_ff_ff_ffn;

const writeSum = (buffer: Buffer, offset: number, sum: bigint): void => {
  buffer.writeBigUInt64BE(sum >> 64n, offset);
  buffer.writeBigUInt64BE(sum & low64, offset + 8);
};

const readSum = (buffer: Buffer, offset: number): bigint =>
  (buffer.readBigUInt64BE(offset) << 64n) | buffer.readBigUInt64BE(offset + 8);

export const hashOf = (node: Buffer): Buffer => node.subarray(0, hashBytes);
export const sumOf = (node: Buffer): Grams => asGrams(readSum(node, hashBytes));

const uuidBytes = (id: string): Buffer => {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  invariant(bytes.length === idBytes, 'an id has 16 bytes');
  return bytes;
};

/** Makes the key that decides the order of the leaves of a run. */
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

/** Returns the commitment to a customer. Without the salt, it does not reveal the customer. */
export const commitmentOf = (salt: Uint8Array, userId: string): Buffer =>
  sha256(Buffer.concat([Buffer.of(commitmentMark), salt, uuidBytes(userId)]));

/**
 * Makes the leaf of a commitment and its grams. The leaf is valid only in one statement.
 * @throws InvariantError for grams that are not above zero, or above the range of a holding
 */
export const leafOf = (statementId: string, commitment: Uint8Array, grams: bigint): Buffer => {
  invariant(grams > 0n && grams < leafLimit, 'a leaf has grams above zero');
  const sumOffset = 1 + idBytes + hashBytes;
  const body = Buffer.alloc(sumOffset + sumBytes);
  body[0] = leafMark;
  uuidBytes(statementId).copy(body, 1);
  body.set(commitment, 1 + idBytes);
  writeSum(body, sumOffset, grams);
  return Buffer.concat([sha256(body), body.subarray(sumOffset)]);
};

/** Writes the parent of two neighbours at `offset` of `nodes` to `aboveOffset` of `above`. */
const writeParent = (nodes: Buffer, offset: number, above: Buffer, aboveOffset: number): void => {
  const body = Buffer.alloc(1 + 2 * nodeBytes);
  body[0] = nodeMark;
  nodes.copy(body, 1, offset, offset + 2 * nodeBytes);
  sha256(body).copy(above, aboveOffset);
  const [left, right] = [offset + hashBytes, offset + nodeBytes + hashBytes];
  writeSum(above, aboveOffset + hashBytes, readSum(nodes, left) + readSum(nodes, right));
};

/** Returns the root of a tree without leaves. */
const emptyRoot = (): Buffer =>
  Buffer.concat([sha256(Buffer.of(emptyMark)), Buffer.alloc(sumBytes)]);

const nodeAt = (nodes: Buffer, index: number): Buffer =>
  nodes.subarray(index * nodeBytes, (index + 1) * nodeBytes);

/** Returns the level above. A last node without a neighbour is its own parent. */
const levelAbove = (nodes: Buffer): Buffer => {
  const count = nodes.length / nodeBytes;
  const above = Buffer.alloc(((count + 1) >>> 1) * nodeBytes);
  for (let index = 0; index + 1 < count; index += 2) {
    writeParent(nodes, index * nodeBytes, above, (index / 2) * nodeBytes);
  }
  if (count % 2 === 1) nodeAt(nodes, count - 1).copy(above, above.length - nodeBytes);
  return above;
};

const topOf = (nodes: Buffer): Buffer => {
  let level = nodes;
  while (level.length > nodeBytes) level = levelAbove(level);
  return level;
};

/** The number of levels from one stored level to the next. */
const levelsApart = 8;
/** The maximum number of nodes of a chunk. They have one common node on the next stored level. */
export const chunkNodes = 2 ** levelsApart;

/** A sequence of neighbouring nodes of a stored level. */
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
 * Creates the builder of a tree, to which leaves are added in their order. It calls `store` for each
 * full chunk, and has only one open chunk of each stored level in memory.
 */
export const createTreeBuilder = (store: (chunk: Chunk) => void) => {
  const levels: OpenLevel[] = [];

  const close = (index: number, open: OpenLevel): Buffer => {
    const nodes = Buffer.from(open.nodes.subarray(0, open.count * nodeBytes));
    store({ level: index * levelsApart, chunk: open.written, nodes });
    open.written += 1;
    open.count = 0;
    return topOf(nodes);
  };

  const add = (node: Buffer, index = 0): void => {
    const open = (levels[index] ??= {
      nodes: Buffer.alloc(chunkNodes * nodeBytes),
      count: 0,
      written: 0,
    });
    node.copy(open.nodes, open.count * nodeBytes);
    open.count += 1;
    if (open.count === chunkNodes) add(close(index, open), index + 1);
  };

  return {
    add: (leaf: Buffer): void => add(leaf),
    /** Closes the open chunks and returns the root. */
    finish(): Buffer {
      for (let index = 0; ; index += 1) {
        const open = levels[index];
        if (open === undefined) return emptyRoot();
        const isTop = open.written === 0 && levels[index + 1] === undefined;
        if (isTop) {
          return index > 0 && open.count === 1 ? nodeAt(open.nodes, 0) : close(index, open);
        }
        if (open.count > 0) add(close(index, open), index + 1);
      }
    },
  };
};

/** Lists the chunks that contain the neighbours on the path of a leaf to the root. */
export const chunksOnPath = (position: number, accounts: number): Omit<Chunk, 'nodes'>[] => {
  const chunks: Omit<Chunk, 'nodes'>[] = [];
  let [index, size] = [position, accounts];
  for (let level = 0; size > 1; level += levelsApart) {
    chunks.push({ level, chunk: index >>> levelsApart });
    index = index >>> levelsApart;
    size = (size + chunkNodes - 1) >>> levelsApart;
  }
  return chunks;
};

/** Returns the neighbours on the path of a leaf to the root, beginning with the leaf's neighbour. */
export const pathOf = (
  position: number,
  accounts: number,
  nodesOf: (chunk: Omit<Chunk, 'nodes'>) => Buffer,
): Buffer[] => {
  const path: Buffer[] = [];
  for (const { level, chunk } of chunksOnPath(position, accounts)) {
    let nodes = nodesOf({ level, chunk });
    let index = (position >>> level) % chunkNodes;
    while (nodes.length > nodeBytes) {
      const neighbour = nodeAt(nodes, index % 2 === 0 ? index + 1 : index - 1);
      if (neighbour.length > 0) path.push(neighbour);
      nodes = levelAbove(nodes);
      index >>>= 1;
    }
  }
  return path;
};
