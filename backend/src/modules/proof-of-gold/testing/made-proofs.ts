import { createHash } from 'node:crypto';
import { gramsToDatabase, grams as asGrams } from '../../../money/index.ts';
import { readSigningKeys } from '../signing-keys.ts';
import { signStatement, type Statement } from '../statement.ts';
import {
  commitmentOf,
  createTreeBuilder,
  hashOf,
  leafOf,
  pathOf,
  saltOf,
  sumOf,
  type Chunk,
} from '../tree.ts';

/* Helpers that make trees and proofs in memory, and load the program that verifies them. */

/** A proof, in the form in which its customer gets it. */
export interface Proof {
  readonly customer: string;
  readonly grams: string;
  readonly salt: string;
  readonly position: number;
  readonly path: readonly { readonly hash: string; readonly grams: string }[];
  readonly signed: string;
  readonly signatures: readonly { readonly publicKey: string; readonly signature: string }[];
}

type Verify = (
  proof: unknown,
  options?: {
    readonly key?: string;
    readonly customer?: string;
    readonly grams?: string;
    readonly previous?: unknown;
  },
) => Promise<{ readonly statement: Statement; readonly isOwn: boolean }>;

/** Loads the program that is served to customers. */
export const loadVerifier = async (): Promise<Verify> => {
  const url = new URL('../verifier/verify.mjs', import.meta.url).href;
  const loaded: unknown = await import(/* @vite-ignore */ url);
  return (loaded as { readonly verify: Verify }).verify;
};

const seed = (name: string): string =>
  createHash('sha256').update(name).digest().toString('base64');
export const testKeys = readSigningKeys([seed('first')]);
export const otherKeys = readSigningKeys([seed('second')]);

export const statementId = '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10';
const saltKey = createHash('sha256').update('salts').digest();

/** Returns the id of the customer with a number. */
export const customerOf = (number: number): string =>
  `0199d8f2-6a0c-7d4e-9c55-${number.toString(16).padStart(12, '0')}`;

export const decimalOf = (units: bigint): string => gramsToDatabase(asGrams(units));

/** Returns the text and signatures of a statement with this root. */
export const signRoot = (
  root: Buffer,
  accounts: number,
  {
    id = statementId,
    keys = testKeys,
    previous = null,
    sequence = 1,
  }: {
    readonly id?: string;
    readonly keys?: typeof testKeys;
    readonly previous?: string | null;
    readonly sequence?: number;
  } = {},
) => {
  const total = decimalOf(sumOf(root));
  return signStatement(
    {
      format: 'proof-of-gold/1',
      id,
      sequence,
      day: '2026-01-15',
      moment: '2026-01-14T18:30:00.000Z',
      accounts,
      root: hashOf(root).toString('base64url'),
      liabilities: total,
      provider: 'safegold',
      confirmed: total,
      difference: decimalOf(0n),
      house: decimalOf(0n),
      open: decimalOf(0n),
      confirmedAccounts: accounts,
      oldestConfirmation: null,
      certificate: null,
      previous,
    },
    keys,
  );
};

/** Makes the leaf of the customer with a number. */
export const leafFor = (number: number, units: bigint, id = statementId): Buffer => {
  const customer = customerOf(number);
  return leafOf(id, commitmentOf(saltOf(saltKey, customer), customer), units);
};

export const rootOf = (leaves: readonly Buffer[]): Buffer => {
  const builder = createTreeBuilder(() => undefined);
  for (const leaf of leaves) builder.add(leaf);
  return builder.finish();
};

/** Makes a tree of these amounts, and the proof of each of its customers. */
export const makeTree = (amounts: readonly bigint[], options?: Parameters<typeof signRoot>[2]) => {
  const chunks: Chunk[] = [];
  const builder = createTreeBuilder((chunk) => chunks.push(chunk));
  for (const [index, units] of amounts.entries()) builder.add(leafFor(index, units, options?.id));
  const root = builder.finish();
  const { signed, signatures, hash } = signRoot(root, amounts.length, options);
  const nodesOf = ({ level, chunk }: Omit<Chunk, 'nodes'>): Buffer => {
    const found = chunks.find((known) => known.level === level && known.chunk === chunk);
    if (found === undefined) throw new Error(`there is no chunk ${chunk} of level ${level}`);
    return found.nodes;
  };
  const proofOf = (position: number): Proof => {
    const customer = customerOf(position);
    return {
      customer,
      grams: decimalOf(amounts[position] ?? 0n),
      salt: saltOf(saltKey, customer).toString('base64url'),
      position,
      path: pathOf(position, amounts.length, nodesOf).map((node) => ({
        hash: hashOf(node).toString('base64url'),
        grams: decimalOf(sumOf(node)),
      })),
      signed,
      signatures,
    };
  };
  return { root, chunks, signed, signatures, hash, proofOf };
};
