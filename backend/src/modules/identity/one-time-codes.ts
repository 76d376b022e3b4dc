import type { SmsGateway } from '../../adapters/sms/port.ts';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import { constantTimeEqual, keyedHash, type BlindIndex } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { unknown } from '../../platform/outcome/outcome.ts';
import {
  afterWrongCode,
  codeLength,
  codeLifeSeconds,
  maxSends,
  noWrongCodes,
  secondsLocked,
  secondsToNextSend,
  type CodePurpose,
} from './one-time-code.rules.ts';
import { createOneTimeCodeStore } from './one-time-codes.store.ts';
import { hashPhone } from './phone-hash.ts';

export interface OneTimeCodesDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly sms: SmsGateway;
  readonly blindIndex: BlindIndex;
  /** CREDENTIAL_PEPPER: without it a stolen table of hashes opens nothing. */
  readonly credentialPepper: string;
}

/** How a code was judged. Only `right` uses it up and clears the count of wrong ones. */
export type CodeVerdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

export interface OneTimeCodes {
  /**
   * Makes a code, which replaces the one before it, and sends it within the call.
   * @throws AppError OTP_SEND_LIMIT, SMS_UNAVAILABLE (that code is then of no use).
   */
  send(request: { phone: string; purpose: CodePurpose }): Promise<{ expiresInSec: number }>;
  /**
   * Judges a code in the caller's transaction. The transaction must commit whatever the verdict,
   * or wrong codes would not count: throw `refusalOf(verdict)` after it, not inside.
   */
  check(
    db: Db,
    attempt: { phone: string; purpose: CodePurpose; code: string },
  ): Promise<CodeVerdict>;
}

/** The error of a verdict that is not `right`. */
export const refusalOf = (verdict: Exclude<CodeVerdict, { kind: 'right' }>): AppError =>
  verdict.kind === 'wrong'
    ? new AppError('INVALID_OTP')
    : new AppError('OTP_LOCKED', { retryAfterSeconds: verdict.retryAfterSeconds });

/** One-time codes by SMS (interface, Authentication 5; decisions, section 4, OTP). */
export const createOneTimeCodes = (deps: OneTimeCodesDeps): OneTimeCodes => {
  const { db, inTransaction, clock, random, logger, sms } = deps;
  const scopeOf = (phone: string, purpose: CodePurpose) => ({
    phoneHash: hashPhone(deps.blindIndex, phone),
    purpose,
  });
  const hashCode = (scope: { phoneHash: string; purpose: CodePurpose }, code: string): string =>
    keyedHash(deps.credentialPepper, `one-time-code|${scope.purpose}`, scope.phoneHash + code);

  return {
    async send({ phone, purpose }) {
      const scope = scopeOf(phone, purpose);
      const code = random.digits(codeLength);
      const ids = { send: random.uuid(), code: random.uuid() };
      const waitSeconds = await inTransaction(async (tx) => {
        const store = createOneTimeCodeStore(tx);
        await store.lock(scope);
        const now = clock.now();
        const sends = await store.recentSends(scope, now);
        const seconds = secondsToNextSend(sends, maxSends[purpose], now);
        if (seconds > 0) return seconds;
        await store.insertSend(ids.send, scope, now);
        await store.replaceCode(scope, {
          id: ids.code,
          codeHash: hashCode(scope, code),
          createdAt: now,
          expiresAt: addSeconds(now, codeLifeSeconds),
        });
        return 0;
      });
      if (waitSeconds > 0) {
        throw new AppError('OTP_SEND_LIMIT', { retryAfterSeconds: waitSeconds });
      }
      const message = { phone, otp: code, validMinutes: codeLifeSeconds / 60, purpose };
      const sent = await sms.sendOtp(message).catch(() => unknown('the adapter threw'));
      if (sent.kind === 'done') return { expiresInSec: codeLifeSeconds };
      const store = createOneTimeCodeStore(db);
      await store.deleteCode(ids.code);
      // What certainly was not sent does not count as a send.
      if (sent.kind === 'refused') await store.deleteSend(ids.send);
      // Neither reason nor message: a gateway may repeat the phone in them.
      logger.warn({ gateway: sms.code, purpose, outcome: sent.kind }, 'a code was not sent');
      throw new AppError('SMS_UNAVAILABLE');
    },

    async check(tx, { phone, purpose, code }) {
      const scope = scopeOf(phone, purpose);
      const store = createOneTimeCodeStore(tx);
      const wrong = await store.lock(scope);
      const now = clock.now();
      const retryAfterSeconds = secondsLocked(wrong, now);
      if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds };
      const stored = await store.findCode(scope);
      const matches = constantTimeEqual(stored?.codeHash ?? '', hashCode(scope, code));
      const usable = stored !== undefined && stored.consumedAt === null && stored.expiresAt > now;
      if (!matches || !usable) {
        await store.saveWrongCodes(scope, afterWrongCode(wrong, now));
        return { kind: 'wrong' };
      }
      await store.consumeCode(stored.id, now);
      await store.saveWrongCodes(scope, noWrongCodes);
      return { kind: 'right' };
    },
  };
};
