import { countTry, type CountedTries, type TryRule } from '../../platform/auth/counted-tries.ts';
import { constantTimeEqual } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { callerAddress, countRefusal, findSecondsRefused } from './address-refusals.store.ts';
import { callerCodeRule, strangersCodeRule, type CodePurpose } from './one-time-code.rules.ts';
import {
  hashesOfCode,
  hashScope,
  type HashedScope,
  type OneTimeCodesDeps,
} from './one-time-codes.ts';
import { rehashScope, consumeCode, findCode, lockScope } from './one-time-codes.store.ts';
import {
  rehashGuards,
  deleteTries,
  lockGuard,
  updateTries,
  type GuardKey,
} from './sign-in-guards.store.ts';
import { callerOf, type SignInClient, type SignInRules } from './sign-in-rules.ts';
import { isTrustedForPhone } from './trusted-devices.store.ts';

export interface CheckCodeDeps extends Pick<
  OneTimeCodesDeps,
  'blindIndex' | 'clock' | 'credentialPepper'
> {
  readonly signInRules: SignInRules;
}

/** A code that a client presents. */
interface PresentedCode {
  readonly phone: string;
  readonly purpose: CodePurpose;
  readonly code: string;
  readonly client: SignInClient;
}

/** The verdict on a code. Only `right` uses the code up and resets the count of wrong codes. */
type CodeVerdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly locks: boolean }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/** Returns the error of a verdict that is not `right`. */
export const refusalOf = (verdict: Exclude<CodeVerdict, { kind: 'right' }>): AppError =>
  verdict.kind === 'wrong'
    ? new AppError('INVALID_OTP')
    : new AppError('OTP_LOCKED', { retryAfterSeconds: verdict.retryAfterSeconds });

/** A count of wrong codes, whose row is locked in the transaction. */
interface LockedGuard {
  readonly key: GuardKey;
  readonly rule: TryRule;
  readonly tries: CountedTries;
}

/** The caller under which the wrong codes of all untrusted devices are counted. */
const strangersCaller = 'strangers';

/**
 * Locks the counts of a caller's wrong codes: the caller's own count for this purpose, and the count
 * of all strangers for all purposes. A trusted device has only its own count.
 */
const lockGuards = async (
  tx: Db,
  { scope: { phoneHash, purpose }, hashes }: HashedScope,
  { client, isTrusted }: { readonly client: SignInClient; readonly isTrusted: boolean },
): Promise<LockedGuard[]> => {
  await rehashGuards(tx, hashes);
  const callerKey: GuardKey = { phoneHash, purpose, caller: callerOf(client, isTrusted) };
  const strangersKey: GuardKey = { phoneHash, purpose: 'any-code', caller: strangersCaller };
  const guards: LockedGuard[] = [];
  const rules = [
    { key: callerKey, rule: callerCodeRule },
    ...(isTrusted ? [] : [{ key: strangersKey, rule: strangersCodeRule }]),
  ];
  for (const { key, rule } of rules) guards.push({ key, rule, tries: await lockGuard(tx, key) });
  return guards;
};

/** Counts a wrong code at each guard. Returns true if that locks one of them. */
const countWrongCode = async (
  tx: Db,
  guards: readonly LockedGuard[],
  now: Date,
): Promise<boolean> => {
  let locks = false;
  for (const { key, rule, tries } of guards) {
    const verdict = countTry(tries, now, rule);
    if (verdict.kind === 'locked') continue;
    await updateTries(tx, key, verdict.next);
    locks ||= verdict.locks;
  }
  return locks;
};

/** Returns the seconds for which a guard is locked, the longest of them, or 0 if none is locked. */
const secondsLocked = (guards: readonly LockedGuard[], now: Date): number =>
  Math.max(
    0,
    ...guards.map(({ rule, tries }) => {
      const verdict = countTry(tries, now, rule);
      return verdict.kind === 'locked' ? verdict.retryAfterSeconds : 0;
    }),
  );

/** Compares a code with the stored one, and counts a wrong code. */
const judge = async (
  deps: CheckCodeDeps,
  tx: Db,
  {
    hashedScope,
    code,
    guards,
    now,
  }: {
    readonly hashedScope: HashedScope;
    readonly code: string;
    readonly guards: readonly LockedGuard[];
    readonly now: Date;
  },
): Promise<CodeVerdict> => {
  const storedCode = await findCode(tx, hashedScope.scope);
  const matches = hashesOfCode(deps.credentialPepper, hashedScope, code).some((expected) =>
    constantTimeEqual(storedCode?.codeHash ?? '', expected),
  );
  const usable =
    storedCode !== undefined && storedCode.consumedAt === null && storedCode.expiresAt > now;
  // Without an open code nothing can be guessed. Counting the try would let strangers lock a phone.
  if (!usable) return { kind: 'wrong', locks: false };
  if (!matches) return { kind: 'wrong', locks: await countWrongCode(tx, guards, now) };
  await consumeCode(tx, storedCode.id, now);
  for (const { key } of guards) await deleteTries(tx, key);
  return { kind: 'right' };
};

/**
 * Checks a code in the caller's transaction. The transaction must commit for every verdict, or else
 * wrong codes would not count. The caller throws `refusalOf(verdict)` after the commit.
 */
export const checkCode = async (
  deps: CheckCodeDeps,
  tx: Db,
  { phone, purpose, code, client }: PresentedCode,
): Promise<CodeVerdict> => {
  const hashedScope = hashScope(deps.blindIndex, phone, purpose);
  await rehashScope(tx, hashedScope.scope, hashedScope.hashes.slice(1));
  await lockScope(tx, hashedScope.scope);
  const now = deps.clock.now();
  const isTrusted = await isTrustedForPhone(tx, { phone, deviceId: client.deviceId }, now);
  const guards = await lockGuards(tx, hashedScope, { client, isTrusted });
  const address = callerAddress(client.ip);
  const limit = { maxRefusals: deps.signInRules.refusalsPerAddressHour, now };
  const addressSeconds = isTrusted ? 0 : await findSecondsRefused(tx, address, limit);
  const retryAfterSeconds = Math.max(addressSeconds, secondsLocked(guards, now));
  if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds };
  const verdict = await judge(deps, tx, { hashedScope, code, guards, now });
  // The address's count is locked last, so a transaction that holds this lock waits for no other.
  if (verdict.kind === 'wrong' && !isTrusted) await countRefusal(tx, address, limit);
  return verdict;
};
