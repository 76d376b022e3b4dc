import type { SmsGateway } from '../../adapters/sms/port.ts';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import { keyedHash, parseKeyList, type BlindIndex } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { unknown } from '../../platform/outcome/outcome.ts';
import type { CodeMetrics } from './one-time-codes.metrics.ts';
import { codeLifeSeconds, type CodePurpose } from './one-time-code.rules.ts';
import {
  rehashScope,
  deleteCode,
  deleteSend,
  insertSend,
  lockScope,
  replaceCode,
  type CodeScope,
  type SendAudience,
} from './one-time-codes.store.ts';
import { hashesOfPhone } from './phone.ts';
import { findExceededLimit, sendOriginOf, type SendLimits } from './send-limits.ts';
import { hasActiveUser } from './users.store.ts';

export interface OneTimeCodesDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly sms: SmsGateway;
  readonly blindIndex: BlindIndex;
  /** CREDENTIAL_PEPPER, a list. Without it, a stolen hash does not reveal its code. */
  readonly credentialPepper: string;
  readonly sendLimits: SendLimits;
  readonly codeMetrics: CodeMetrics;
}

interface CodeRequest {
  readonly phone: string;
  readonly purpose: CodePurpose;
  /** The client's address. */
  readonly ip: string;
}

/** The scope of a code, with every hash of its phone. */
export interface HashedScope {
  readonly scope: CodeScope;
  /** The scope's own hash of the phone, and then the hashes by older keys. */
  readonly hashes: readonly [string, ...string[]];
}

export const hashScope = (
  blindIndex: BlindIndex,
  phone: string,
  purpose: CodePurpose,
): HashedScope => {
  const hashes = hashesOfPhone(blindIndex, phone);
  return { scope: { phoneHash: hashes[0], purpose }, hashes };
};

/**
 * Returns the hashes under which a code may be stored, by each pepper and each key of the blind
 * index. The first one is the hash of a new code.
 */
export const hashesOfCode = (
  peppers: string,
  { scope, hashes }: HashedScope,
  code: string,
): readonly [string, ...string[]] => {
  const [firstPepper, ...olderPeppers] = parseKeyList('CREDENTIAL_PEPPER', peppers, 16);
  const use = `one-time-code|${scope.purpose}`;
  const hashWith = (pepper: string): string[] =>
    hashes.map((phoneHash) => keyedHash(pepper, use, phoneHash + code));
  return [
    keyedHash(firstPepper, use, hashes[0] + code),
    ...[firstPepper, ...olderPeppers].flatMap(hashWith),
  ];
};

/** A code that is stored and not yet sent. */
export interface UnsentCode {
  readonly phone: string;
  readonly purpose: CodePurpose;
  readonly code: string;
  readonly ids: { readonly send: string; readonly code: string };
}

/** Returns the audience of a code. It runs the same query for every phone. */
const audienceOf = async (tx: Db, phone: string, purpose: CodePurpose): Promise<SendAudience> => {
  if (await hasActiveUser(tx, phone)) return 'customer';
  return purpose === 'mpin-reset' ? 'unsent' : 'stranger';
};

const codeLength = 6;

/**
 * Makes a code, which replaces the earlier code of its scope, and counts its send.
 * @throws AppError OTP_SEND_LIMIT.
 */
export const makeCode = async (
  deps: OneTimeCodesDeps,
  { phone, purpose, ip }: CodeRequest,
): Promise<UnsentCode> => {
  const { inTransaction, clock, random, codeMetrics } = deps;
  const hashedScope = hashScope(deps.blindIndex, phone, purpose);
  const { scope, hashes } = hashedScope;
  const code = random.digits(codeLength);
  const ids = { send: random.uuid(), code: random.uuid() };
  const exceeded = await inTransaction(async (tx) => {
    await rehashScope(tx, scope, hashes.slice(1));
    await lockScope(tx, scope);
    const now = clock.now();
    const audience = await audienceOf(tx, phone, purpose);
    const send = { ...scope, ...sendOriginOf(ip), id: ids.send, audience, sentAt: now };
    const limit = await findExceededLimit(tx, deps.sendLimits, send);
    if (limit !== undefined) return limit;
    await insertSend(tx, send);
    await replaceCode(tx, scope, {
      id: ids.code,
      codeHash: hashesOfCode(deps.credentialPepper, hashedScope, code)[0],
      createdAt: now,
      expiresAt: addSeconds(now, codeLifeSeconds),
    });
    return undefined;
  });
  if (exceeded === undefined) return { phone, purpose, code, ids };
  codeMetrics.countSend(exceeded.result);
  throw new AppError('OTP_SEND_LIMIT', { retryAfterSeconds: exceeded.waitSeconds });
};

/** Sends a code by SMS. @throws AppError SMS_UNAVAILABLE, after the code was deleted. */
export const deliverCode = async (
  { db, logger, sms, codeMetrics }: OneTimeCodesDeps,
  { phone, purpose, code, ids }: UnsentCode,
): Promise<void> => {
  const message = { phone, otp: code, validMinutes: codeLifeSeconds / 60, purpose };
  const outcome = await sms.sendOtp(message).catch(() => unknown('the adapter threw'));
  codeMetrics.countSend(outcome.kind === 'done' ? 'sent' : 'failed');
  if (outcome.kind === 'done') return;
  await deleteCode(db, ids.code);
  // A code that certainly was not sent does not count as a send.
  if (outcome.kind === 'refused') await deleteSend(db, ids.send);
  // The reason and the message are not logged, because a gateway may repeat the phone in them.
  logger.warn({ gateway: sms.code, purpose, outcome: outcome.kind }, 'a code was not sent');
  throw new AppError('SMS_UNAVAILABLE');
};

/**
 * Makes a code and sends it by SMS.
 * @throws AppError OTP_SEND_LIMIT, SMS_UNAVAILABLE.
 */
export const sendCode = async (
  deps: OneTimeCodesDeps,
  request: CodeRequest,
): Promise<{ expiresInSec: number }> => {
  await deliverCode(deps, await makeCode(deps, request));
  return { expiresInSec: codeLifeSeconds };
};
