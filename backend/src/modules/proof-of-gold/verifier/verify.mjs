/*
 * Verifies a proof of gold without trusting the service that made it. It needs nothing but Node 22
 * or a browser: `node verify.mjs proof.json [--key PUBLIC_KEY] [--customer ID] [--grams GRAMS]
 * [--previous STATEMENT.json]`. It reads files and makes no requests.
 *
 *   leaf       = SHA-256(0x00, statement's id, commitment, grams)
 *   commitment = SHA-256(0x03, salt, customer's id)
 *   node       = SHA-256(0x01, left hash, left grams, right hash, right grams)
 *
 * Ids are 16 bytes, hashes and salts 32, and grams 16: a whole number of 0.00000001 g, which can't
 * be negative. A last node without a neighbour goes up as it is.
 */

const { subtle } = globalThis.crypto;
const mostLevels = 40;

class Refused extends Error {}

const must = (condition, message) => {
  if (!condition) throw new Refused(message);
};

const bytesOf = (text, length, what) => {
  must(typeof text === 'string' && /^[\w-]+$/.test(text), `${what} is not base64url`);
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  must(bytes.length === length, `${what} does not have ${length} bytes`);
  return bytes;
};

const idBytes = (id, what) => {
  const isId = typeof id === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);
  must(isId, `${what} is not an id`);
  return Uint8Array.from(id.replaceAll('-', '').match(/../g), (pair) => Number.parseInt(pair, 16));
};

/** Parses grams as a whole number of 0.00000001 g. A sign is refused, so no value is below zero. */
const unitsOf = (grams, what) => {
  must(typeof grams === 'string' && /^\d{1,22}\.\d{8}$/.test(grams), `${what} is not a weight`);
  return BigInt(grams.replace('.', ''));
};

const signedUnits = (grams, what) =>
  typeof grams === 'string' && grams.startsWith('-')
    ? -unitsOf(grams.slice(1), what)
    : unitsOf(grams, what);

const sumBytes = (units) => {
  must(units >= 0n && units < 2n ** 127n, 'a sum is out of bounds');
  const bytes = new Uint8Array(16);
  for (let at = 15, rest = units; at >= 0; at -= 1, rest >>= 8n) bytes[at] = Number(rest & 255n);
  return bytes;
};

const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const sha256 = async (bytes) => new Uint8Array(await subtle.digest('SHA-256', bytes));
const isSame = (one, other) => one.length === other.length && one.every((b, at) => b === other[at]);
const textBytes = (text) => new TextEncoder().encode(text);

const parseStatement = (signed) => {
  must(typeof signed === 'string', 'there is no signed statement');
  const statement = JSON.parse(signed);
  must(statement?.format === 'proof-of-gold/1', 'the statement has an unexpected format');
  must(
    Number.isSafeInteger(statement.accounts) && statement.accounts >= 0,
    'the number of accounts is not valid',
  );
  return statement;
};

/** Checks every signature. If the reader already knows a key, one signature must be of that key. */
const checkSignatures = async ({ signed, signatures }, knownKey) => {
  must(Array.isArray(signatures) && signatures.length > 0, 'the statement is not signed');
  for (const { publicKey, signature } of signatures) {
    const raw = bytesOf(publicKey, 32, 'a public key');
    const key = await subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    const isGood = await subtle.verify(
      'Ed25519',
      key,
      bytesOf(signature, 64, 'a signature'),
      textBytes(signed),
    );
    must(isGood, `the signature of ${publicKey} does not match this statement`);
  }
  const keys = signatures.map(({ publicKey }) => publicKey);
  must(
    knownKey === undefined || keys.includes(knownKey),
    'the key that you gave did not sign this statement',
  );
  return keys;
};

const checkTotals = (statement) => {
  const confirmed = unitsOf(statement.confirmed, 'the confirmed total');
  const liabilities = unitsOf(statement.liabilities, 'the total of customers');
  const difference = signedUnits(statement.difference, 'the difference');
  must(
    confirmed - liabilities === difference,
    'the difference is not the confirmed total minus the total of customers',
  );
  const explained = signedUnits(statement.house, 'house') + signedUnits(statement.open, 'open');
  must(difference === explained, 'the difference is not explained');
};

const leafOf = async (proof, statement) => {
  const customer = idBytes(proof.customer, "the customer's id");
  const salt = bytesOf(proof.salt, 32, 'the salt');
  const commitment = await sha256(join([3], salt, customer));
  const sum = unitsOf(proof.grams, 'the grams of the leaf');
  must(sum > 0n, 'the leaf is empty');
  const id = idBytes(statement.id, "the statement's id");
  return { hash: await sha256(join([0], id, commitment, sumBytes(sum))), sum };
};

/** Computes the root from the leaf. Its position and the number of leaves decide the neighbours. */
const climb = async (proof, statement) => {
  const { position, path } = proof;
  const isPlace = Number.isSafeInteger(position) && position >= 0 && position < statement.accounts;
  must(isPlace, 'the position is outside the tree');
  must(Array.isArray(path) && path.length <= mostLevels, 'the path is too long');
  const rest = [...path];
  let node = await leafOf(proof, statement);
  for (let at = position, size = statement.accounts; size > 1; size = Math.ceil(size / 2)) {
    const isRight = at % 2 === 1;
    if (isRight || at + 1 < size) {
      const next = rest.shift();
      must(next !== undefined, 'the path is too short');
      const neighbour = {
        hash: bytesOf(next.hash, 32, 'a hash of the path'),
        sum: unitsOf(next.grams, 'a sum of the path'),
      };
      const [left, right] = isRight ? [neighbour, node] : [node, neighbour];
      const bytes = join([1], left.hash, sumBytes(left.sum), right.hash, sumBytes(right.sum));
      node = { hash: await sha256(bytes), sum: left.sum + right.sum };
    }
    at = Math.floor(at / 2);
  }
  must(rest.length === 0, 'the path is too long');
  return node;
};

/**
 * Verifies a customer's proof, or a statement alone, and returns its content. Throws an error with
 * the reason if it is not valid.
 */
export const verify = async (proof, { key, customer, grams, previous } = {}) => {
  must(typeof proof === 'object' && proof !== null, 'this is not a proof');
  const statement = parseStatement(proof.signed);
  const keys = await checkSignatures(proof, key);
  checkTotals(statement);
  if (previous !== undefined) {
    await checkSignatures(previous, undefined);
    const hash = await sha256(textBytes(previous.signed));
    const named = bytesOf(statement.previous, 32, 'the hash of the previous statement');
    must(isSame(hash, named), 'the statement does not follow the previous one');
  }
  if (proof.path === undefined) return { statement, keys, isOwn: false };
  must(
    customer === undefined || proof.customer === customer,
    'the leaf belongs to another customer',
  );
  const isMine = grams === undefined || unitsOf(proof.grams, '') === unitsOf(grams, 'your grams');
  must(isMine, `the leaf says ${proof.grams} g`);
  const root = await climb(proof, statement);
  must(
    isSame(root.hash, bytesOf(statement.root, 32, 'the root')),
    'the path does not lead to the signed root',
  );
  const total = unitsOf(statement.liabilities, 'the total of customers');
  must(root.sum === total, 'the sums of the path do not add up to the signed total');
  return { statement, keys, isOwn: true, customer: proof.customer, grams: proof.grams };
};

const say = (line) => process.stdout.write(`${line}\n`);

const run = async () => {
  const { readFileSync } = await import('node:fs');
  const { parseArgs } = await import('node:util');
  const text = { type: 'string' };
  const options = { key: text, customer: text, grams: text, previous: text };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const previous = values.previous === undefined ? undefined : read(values.previous);
  const found = await verify(read(positionals[0] ?? 'proof.json'), { ...values, previous });
  const { statement, keys, isOwn } = found;
  if (isOwn) say(`Included: ${found.grams} g of customer ${found.customer}.`);
  say(`Statement ${statement.sequence} of ${statement.day}, made ${statement.moment}:`);
  say(`  ${statement.liabilities} g of ${statement.accounts} customers`);
  say(`  ${statement.confirmed} g confirmed by ${statement.provider}`);
  for (const key of keys) say(`  signed by ${key}`);
};

if (globalThis.process?.argv?.[1]?.endsWith('verify.mjs')) {
  run().catch((error) => {
    process.stderr.write(`NOT PROVEN: ${error.message}\n`);
    process.exitCode = 1;
  });
}
