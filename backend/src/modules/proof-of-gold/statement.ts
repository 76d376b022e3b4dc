import { createHash } from 'node:crypto';
import { z } from 'zod';
import { decimalGrams } from './proof.types.ts';
import type { SigningKey } from './signing-keys.ts';

const digest = z.string().regex(/^[\w-]{43}$/u);

/** A custodian's certificate, as an operator recorded it. */
export const certificateSchema = z.object({
  grams: z.string(),
  day: z.iso.date(),
  document: z.string().nullable(),
});

/** The content of a statement. The fields have the order of the signed text. */
export const statementSchema = z.object({
  format: z.literal('proof-of-gold/1'),
  id: z.uuid(),
  sequence: z.int().positive(),
  day: z.iso.date().describe('The IST day of the statement.'),
  moment: z.iso.datetime().describe('The time at which both sides of the balance were taken.'),
  accounts: z.int().min(0).describe('The number of customers who held gold.'),
  root: digest.describe('The root hash of the tree of holdings, in base64url.'),
  liabilities: decimalGrams.describe('The grams that all customers held in total.'),
  provider: z.string(),
  confirmed: decimalGrams.describe('The grams that the gold provider confirmed.'),
  difference: decimalGrams.describe('The grams of `confirmed` less those of `liabilities`.'),
  house: decimalGrams.describe(
    "The grams of the difference that are the house's own gold, held in the same accounts.",
  ),
  open: decimalGrams.describe(
    'The grams of the difference that belong to trades whose outcome was not known yet.',
  ),
  confirmedAccounts: z.int().min(0),
  oldestConfirmation: z.iso.datetime().nullable(),
  certificate: certificateSchema
    .nullable()
    .describe("The custodian's certificate. Null if none is on file."),
  previous: digest
    .nullable()
    .describe('The SHA-256 of the signed text of the previous statement. Null for the first.'),
});
export type Statement = z.output<typeof statementSchema>;

export const signatureSchema = z.object({
  publicKey: digest.describe('The Ed25519 public key: 32 bytes in base64url.'),
  signature: z.string().regex(/^[\w-]{86}$/u),
});

/** The exact text of a published statement, with its signatures and its hash. */
export interface SignedStatement {
  readonly signed: string;
  readonly signatures: readonly z.output<typeof signatureSchema>[];
  readonly hash: Buffer;
}

/**
 * Signs a statement with every key of the list. During a rotation, readers who trust the old key
 * can verify the same text as those who trust the new one.
 */
export const signStatement = (
  statement: Statement,
  keys: readonly SigningKey[],
): SignedStatement => {
  const signed = JSON.stringify(statementSchema.parse(statement));
  const signatures = keys.map((key) => ({
    publicKey: key.publicKey,
    signature: key.sign(signed),
  }));
  return { signed, signatures, hash: createHash('sha256').update(signed).digest() };
};

/** Parses the text of a statement that this service published. */
export const readStatement = (signed: string): Statement =>
  statementSchema.parse(JSON.parse(signed));
