import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  decimalOf,
  leafFor,
  loadVerifier,
  makeTree,
  otherKeys,
  rootOf,
  signRoot,
  testKeys,
  type Proof,
} from './testing/made-proofs.ts';
import { chunkNodes, createTreeBuilder, leafOf, nodeBytes, sumOf } from './tree.ts';

let verify: Awaited<ReturnType<typeof loadVerifier>>;
beforeAll(async () => {
  verify = await loadVerifier();
});

const units = fc.bigInt({ min: 1n, max: 10n ** 20n - 1n });
const someAmounts = fc.array(units, { minLength: 1, maxLength: 40 });
const treeAndPlace = someAmounts.chain((amounts) =>
  fc.record({ amounts: fc.constant(amounts), place: fc.nat(amounts.length - 1) }),
);

/** Changes one letter of a hash, salt or signature. */
const otherLetter = (text: string, at: number): string => {
  const place = at % (text.length - 1);
  const letter = text[place] === 'A' ? 'B' : 'A';
  return text.slice(0, place) + letter + text.slice(place + 1);
};

const refusals =
  /does not match this statement|does not lead|too (?:short|long)|outside the tree|is not/u;

describe('a tree', () => {
  it('proves each of its customers, and adds up their grams', async () => {
    await fc.assert(
      fc.asyncProperty(treeAndPlace, async ({ amounts, place }) => {
        const tree = makeTree(amounts);
        expect(sumOf(tree.root)).toBe(amounts.reduce((sum, one) => sum + one, 0n));
        expect(await verify(tree.proofOf(place))).toMatchObject({ isOwn: true });
      }),
      { numRuns: 40 },
    );
  });

  it.each([1, 2, 3, 255, 256, 257, 511, 512, 513, 65_537])(
    'is whole with %i leaves, in a memory that does not grow with them',
    async (count) => {
      const tree = makeTree(Array.from({ length: count }, (_, at) => BigInt(at + 1)));
      const largest = chunkNodes * nodeBytes;
      expect(tree.chunks.every(({ nodes }) => nodes.length <= largest)).toBe(true);
      const places = new Set([0, 1, 254, 255, 256, 257, 65_535, count - 1]);
      for (const place of places) {
        const proof = tree.proofOf(Math.min(place, count - 1));
        expect(await verify(proof)).toMatchObject({ isOwn: true });
      }
    },
  );

  it('has a root without leaves', () => {
    const root = createTreeBuilder(() => undefined).finish();
    expect(root).toHaveLength(nodeBytes);
    expect(sumOf(root)).toBe(0n);
  });

  it.each([0n, -1n, -(10n ** 19n), 10n ** 20n])('has no leaf of %s units', (amount) => {
    expect(() => leafOf('0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10', Buffer.alloc(32), amount)).toThrow(
      'a leaf has grams above zero',
    );
  });

  it('has another root for every other amount, leaf, order or number of leaves', () => {
    fc.assert(
      fc.property(treeAndPlace, units, ({ amounts, place }, amount) => {
        const leaves = amounts.map((one, at) => leafFor(at, one));
        const root = rootOf(leaves);
        const changed = leaves.with(place, leafFor(place, amount));
        expect(rootOf(changed).equals(root)).toBe(amount === amounts[place]);
        const foreign = leaves.with(place, leafFor(999, amounts[place] ?? 1n));
        expect(rootOf(foreign).equals(root)).toBe(false);
        expect(rootOf(leaves.toSpliced(place, 1)).equals(root)).toBe(false);
        const again = leaves.toSpliced(place, 0, leafFor(place, amounts[place] ?? 1n));
        expect(rootOf(again).equals(root)).toBe(false);
        const isOne = leaves.length === 1;
        expect(rootOf(leaves.toReversed()).equals(root)).toBe(isOne);
      }),
      { numRuns: 100 },
    );
  });
});

/** The changes of a proof, each of which must be refused. */
const changes: Readonly<Record<string, (proof: Proof, at: number) => unknown>> = {
  'other grams': (proof) => ({
    ...proof,
    grams: decimalOf(BigInt(proof.grams.replace('.', '')) + 1n),
  }),
  'another salt': (proof, at) => ({ ...proof, salt: otherLetter(proof.salt, at) }),
  'another customer': (proof) => ({ ...proof, customer: proof.customer.replace(/^0/u, '1') }),
  'another position': (proof) => ({ ...proof, position: proof.position + 1 }),
  'a neighbour with another hash': (proof, at) => ({
    ...proof,
    path: proof.path.with(at % proof.path.length, {
      grams: proof.path[at % proof.path.length]?.grams ?? '',
      hash: otherLetter(proof.path[at % proof.path.length]?.hash ?? '', at),
    }),
  }),
  'a neighbour with other grams': (proof, at) => ({
    ...proof,
    path: proof.path.map((node, place) =>
      place === at % proof.path.length
        ? { ...node, grams: decimalOf(BigInt(node.grams.replace('.', '')) + 1n) }
        : node,
    ),
  }),
  'a shorter path': (proof, at) => ({
    ...proof,
    path: proof.path.toSpliced(at % proof.path.length, 1),
  }),
  'a longer path': (proof) => ({ ...proof, path: [...proof.path, ...proof.path.slice(0, 1)] }),
  'another text': (proof) => ({
    ...proof,
    signed: proof.signed.replace('"sequence":1', '"sequence":2'),
  }),
  'another signature': (proof, at) => ({
    ...proof,
    signatures: proof.signatures.map((one) => ({
      ...one,
      signature: otherLetter(one.signature, at),
    })),
  }),
  'no signature': (proof) => ({ ...proof, signatures: [] }),
};

describe('a proof', () => {
  it.each(Object.keys(changes))('is refused with %s', async (name) => {
    const amounts = fc.array(units, { minLength: 2, maxLength: 40 });
    const parts = amounts.chain((all) =>
      fc.record({ all: fc.constant(all), place: fc.nat(all.length - 1), at: fc.nat(1000) }),
    );
    await fc.assert(
      fc.asyncProperty(parts, async ({ all, place, at }) => {
        const proof = makeTree(all).proofOf(place);
        await expect(verify(changes[name]?.(proof, at))).rejects.toThrow(refusals);
      }),
      { numRuns: 15 },
    );
  });

  it('is refused for another customer, other grams or an unknown key', async () => {
    const tree = makeTree([10n, 20n, 30n]);
    const proof = tree.proofOf(1);
    const [key] = testKeys;
    const grams = decimalOf(20n);
    const known = { customer: proof.customer, grams, key: key?.publicKey ?? '' };
    expect(await verify(proof, known)).toMatchObject({ isOwn: true });
    const { customer } = tree.proofOf(2);
    await expect(verify(proof, { customer })).rejects.toThrow('another customer');
    await expect(verify(proof, { grams: decimalOf(21n) })).rejects.toThrow('the leaf says');
    const [other] = otherKeys;
    await expect(verify(proof, { key: other?.publicKey ?? '' })).rejects.toThrow('did not sign');
  });

  it('of a rotation is accepted with the old key and with the new key', async () => {
    const keys = [...otherKeys, ...testKeys];
    const proof = makeTree([10n, 20n], { keys }).proofOf(0);
    for (const { publicKey } of keys) {
      expect(await verify(proof, { key: publicKey })).toMatchObject({ isOwn: true });
    }
  });

  it('follows the previous statement, and no other statement', async () => {
    const [before, other] = [makeTree([10n]), makeTree([11n])];
    const previous = before.hash.toString('base64url');
    const after = signRoot(rootOf([leafFor(0, 12n)]), 1, { previous, sequence: 2 });
    await verify(after, { previous: before });
    await expect(verify(after, { previous: other })).rejects.toThrow('does not follow');
  });
});
