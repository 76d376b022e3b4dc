import { createHash } from 'node:crypto';
import { z } from 'zod';
import { decimalGrams } from './proof.types.ts';
import type { SigningKey } from './signing-keys.ts';

const digest = z.string().regex(/^[\w-]{43}$/u);

/** A custodian's certificate, as an operator put it on file. */
export const certificateSchema = z.object({
  grams: z.string(),
  day: z.iso.date(),
  document: z.string().nullable(),
});

/** The content of a statement. The order of the fields is that of its text. */
export const statementSchema = z.object({
  format: z.literal('proof-of-gold/1'),
  id: z.uuid(),
  sequence: z.int().positive(),
  day: z.iso.date().describe('The IST day that it is of.'),
  moment: z.iso.datetime().describe('The moment of both sides of the balance.'),
  accounts: z.int().min(0).describe('Customers who held gold.'),
  root: digest.describe('The hash at the top of the tree.'),
  liabilities: decimalGrams.describe('Grams that all customers held.'),
  provider: z.string(),
  confirmed: decimalGrams.describe('Grams that the gold provider confirmed.'),
  difference: decimalGrams.describe('Confirmed less liabilities.'),
  house: decimalGrams.describe("The house's own part of the difference: it lies in such accounts."),
  open: decimalGrams.describe('The part of trades whose outcome was not known yet.'),
  confirmedAccounts: z.int().min(0),
  oldestConfirmation: z.iso.datetime().nullable(),
  certificate: certificateSchema.nullable().describe("The custodian's, where one is on file."),
  previous: digest.nullable().describe('SHA-256 of the signed text of the statement before.'),
});
export type Statement = z.output<typeof statementSchema>;

export const signatureSchema = z.object({
  publicKey: digest.describe('Ed25519, 32 bytes.'),
  signature: z.string().regex(/^[\w-]{86}$/u),
});

/** A statement as it is published: the exact text, and its signatures. */
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

/** Reads the text of a statement that was published here. */
export const readStatement = (signed: string): Statement =>
  statementSchema.parse(JSON.parse(signed));
