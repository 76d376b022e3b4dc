import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  customerOf,
  decimalOf,
  leafFor,
  loadVerifier,
  makeTree,
  rootOf,
  signRoot,
  statementId,
} from './testing/made-proofs.ts';
import { hashOf, leafOf, sumOf } from './tree.ts';

/*
 * The attacks of the literature on trees that prove liabilities. [HZG] is K. Hu, Z. Zhang, K. Guo,
 * "Breaking the Binding: Attacks on the Merkle Approach to Prove Liabilities and its Applications",
 * Computers & Security 87, 2019 (ePrint 2018/1139). [CCJ] is K. Chalkias, P. Chatzigiannis, Y. Ji,
 * "Broken Proofs of Solvency in Blockchain Custodial Wallets and Exchanges", FC 2022 Workshops
 * (LNCS 13412). [DBBCB] is G. Dagher, B. Bünz, J. Bonneau, J. Clark, D. Boneh, "Provisions:
 * Privacy-preserving proofs of solvency for Bitcoin exchanges", CCS 2015 (ePrint 2015/1008), whose
 * range proofs are against the two attacks named. [RFC] is RFC 6962, Certificate Transparency,
 * section 2.1.
 */

let verify: Awaited<ReturnType<typeof loadVerifier>>;
beforeAll(async () => {
  verify = await loadVerifier();
});

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const nodeOf = (node: Buffer) => ({
  hash: hashOf(node).toString('base64url'),
  grams: decimalOf(sumOf(node)),
});

/** Maxwell's scheme: a node hashes the total and the hashes of its children, not their sums. */
const maxwell = (total: bigint, left: Buffer, right: Buffer): Buffer =>
  sha256(String(total), left, right);

describe('sums that the hash does not bind [HZG]', () => {
  it('lets the original scheme show two customers of 10 and 7 a total of 10', () => {
    const [left, right] = [sha256('left', '10'), sha256('right', '7')];
    const root = maxwell(10n, left, right);
    const accepts = (own: bigint, claimedNeighbour: bigint): boolean =>
      maxwell(own + claimedNeighbour, left, right).equals(root);
    expect([accepts(10n, 0n), accepts(7n, 3n)]).toEqual([true, true]);
  });

  it('is refused here, since the neighbour has only one sum', async () => {
    const left = leafFor(0, 10n);
    const right = leafFor(1, 7n);
    const { proofOf } = makeTree([10n, 7n]);
    // The tree that the left customer would accept if the neighbour's sum was 0.
    const withNothing = Buffer.concat([hashOf(right), Buffer.alloc(16)]);
    const signed = signRoot(rootOf([left, withNothing]), 2);
    const toLeft = { ...proofOf(0), ...signed, path: [nodeOf(withNothing)] };
    await verify(toLeft);
    for (const claimed of [0n, 3n, 10n]) {
      const path = [{ ...nodeOf(left), grams: decimalOf(claimed) }];
      await expect(verify({ ...proofOf(1), ...signed, path })).rejects.toThrow(
        'does not lead to the signed root',
      );
    }
  });
});

describe('a negative balance that makes the total smaller [DBBCB]', () => {
  it('is refused as a leaf and in a path', async () => {
    expect(() => leafFor(1, -7n)).toThrow('a leaf has grams above zero');
    const proof = makeTree([10n, 7n]).proofOf(0);
    const path = proof.path.map((node) => ({ ...node, grams: `-${node.grams}` }));
    await expect(verify({ ...proof, path })).rejects.toThrow('is not a weight');
  });
});

describe('a sum that runs over [DBBCB]', () => {
  it.each(['9'.repeat(22), '1'.repeat(23), '1e30'])('is refused: %s g', async (whole) => {
    const proof = makeTree([10n, 7n]).proofOf(0);
    const path = proof.path.map((node) => ({ ...node, grams: `${whole}.00000000` }));
    await expect(verify({ ...proof, path })).rejects.toThrow(
      /of bounds|does not lead to the signed root|no weight|not a weight/u,
    );
  });

  it('is impossible, since the sum of 2^40 largest leaves is far below the limit', () => {
    expect(10n ** 20n * 2n ** 40n).toBeLessThan(2n ** 127n);
    expect(() => leafFor(0, 10n ** 20n)).toThrow('a leaf has grams above zero');
  });
});

describe('a node shown as a leaf [RFC; second preimage]', () => {
  it('is refused, since the hashed bytes contain their kind', async () => {
    const { proofOf, root } = makeTree([10n, 7n, 3n, 2n]);
    const proof = proofOf(0);
    // The path from the node above the first two leaves, whose sum is given out as a leaf.
    const shorter = { ...proof, grams: decimalOf(17n), path: proof.path.slice(1) };
    await expect(verify(shorter)).rejects.toThrow('the path is too short');
    // The statement has half as many leaves, so that the path has the right length.
    const signed = signRoot(root, 2);
    await expect(verify({ ...shorter, ...signed })).rejects.toThrow(
      'the path does not lead to the signed root',
    );
  });

  it('is not a leaf even with a commitment chosen for it', () => {
    const [left, right] = [leafFor(0, 10n), leafFor(1, 7n)];
    const leaf = leafOf(statementId, sha256(left, right), 17n);
    expect(hashOf(leaf).equals(hashOf(rootOf([left, right])))).toBe(false);
  });
});

describe('one leaf for several customers [CCJ]', () => {
  it('is noticed by all of them but one, since the leaf commits to one customer', async () => {
    const proof = makeTree([10n, 7n]).proofOf(0);
    await verify(proof, { customer: customerOf(0) });
    await expect(verify(proof, { customer: customerOf(1) })).rejects.toThrow('another customer');
    await expect(verify({ ...proof, customer: customerOf(1) })).rejects.toThrow(
      'does not lead to the signed root',
    );
  });

  it('is refused in another statement', async () => {
    const id = '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b99';
    const yesterday = makeTree([10n, 7n]).proofOf(0);
    const { signed, signatures } = makeTree([10n, 7n], { id });
    await expect(verify({ ...yesterday, signed, signatures })).rejects.toThrow(
      'does not lead to the signed root',
    );
  });
});

describe('a branch that is left out [HZG]', () => {
  it('leaves its customers without a proof, at any position', async () => {
    const whole = makeTree([10n, 7n, 3n, 2n]);
    const { signed, signatures, proofOf } = makeTree([10n, 7n]);
    for (const position of [0, 1]) {
      for (const path of [proofOf(position).path, whole.proofOf(2).path]) {
        const lost = { ...whole.proofOf(2), position, path, signed, signatures };
        await expect(verify(lost)).rejects.toThrow(/does not lead to the signed root|too long/u);
      }
    }
  });

  it('is not hidden by a duplicated leaf [CVE-2012-2459]', () => {
    const leaves = [10n, 7n, 3n].map((amount, at) => leafFor(at, amount));
    const last = leaves.slice(-1);
    expect(rootOf([...leaves, ...last]).equals(rootOf(leaves))).toBe(false);
  });
});

describe('hashes that are cut short [CCJ]', () => {
  it('are refused', async () => {
    const proof = makeTree([10n, 7n]).proofOf(0);
    const path = proof.path.map((node) => ({ ...node, hash: node.hash.slice(0, 11) }));
    await expect(verify({ ...proof, path })).rejects.toThrow('does not have 32 bytes');
  });
});
