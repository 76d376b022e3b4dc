import { createHash, createPublicKey, verify } from 'node:crypto';

/*
 * The proof of gold, computed again from the contract (contract: proof-of-gold > Tree). It uses
 * neither the service's own code nor the program with which customers verify.
 */

export interface Signed {
  readonly signed: string;
  readonly signatures: readonly { readonly publicKey: string; readonly signature: string }[];
}

/** A customer's own leaf, with its path to the root. */
export interface Proof extends Signed {
  readonly customer: string;
  readonly grams: string;
  readonly salt: string;
  readonly position: number;
  readonly path: readonly { readonly hash: string; readonly grams: string }[];
}

interface Node {
  readonly hash: Buffer;
  readonly units: bigint;
}

const sha256 = (...parts: readonly Buffer[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Reads a decimal of grams as units of 0.00000001 g. */
export const fineUnits = (grams: string): bigint => {
  const [whole = '0', fraction = ''] = grams.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(8, '0'));
  return grams.startsWith('-') ? -units : units;
};

const sixteenBytes = (units: bigint): Buffer =>
  Buffer.from(units.toString(16).padStart(32, '0'), 'hex');

/** Returns the hash of a signed text, which the next statement names. */
export const hashOf = ({ signed }: Pick<Signed, 'signed'>): string =>
  createHash('sha256').update(signed).digest('base64url');

/** Returns true if every named key has signed the text. */
export const isSigned = ({ signed, signatures }: Signed): boolean =>
  signatures.length > 0 &&
  signatures.every(({ publicKey, signature }) => {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
      format: 'jwk',
    });
    return verify(null, Buffer.from(signed), key, bytes(signature));
  });

const leafOf = ({ salt, customer, grams }: Proof, statementId: string): Node => {
  const commitment = sha256(Buffer.from([3]), bytes(salt), idBytes(customer));
  const units = fineUnits(grams);
  const hash = sha256(Buffer.from([0]), idBytes(statementId), commitment, sixteenBytes(units));
  return { hash, units };
};

const parentOf = (left: Node, right: Node): Node => ({
  hash: sha256(
    Buffer.from([1]),
    left.hash,
    sixteenBytes(left.units),
    right.hash,
    sixteenBytes(right.units),
  ),
  units: left.units + right.units,
});

/**
 * Computes the root of a tree with `accounts` leaves from one leaf and its path. A node without a
 * neighbour moves up unchanged. Returns undefined if the path has another length.
 */
export const topOf = (
  proof: Proof,
  { id, accounts }: { readonly id: string; readonly accounts: number },
): { readonly root: string; readonly units: bigint } | undefined => {
  const rest = [...proof.path];
  let node = leafOf(proof, id);
  for (let [at, width] = [proof.position, accounts]; width > 1;) {
    const neighbour = at ^ 1;
    if (neighbour < width) {
      const next = rest.shift();
      if (next === undefined) return undefined;
      const other: Node = { hash: bytes(next.hash), units: fineUnits(next.grams) };
      node = neighbour < at ? parentOf(other, node) : parentOf(node, other);
    }
    at >>= 1;
    width = (width + 1) >> 1;
  }
  return rest.length === 0
    ? { root: node.hash.toString('base64url'), units: node.units }
    : undefined;
};
