import { countTry, type CountedTries, type TryRule } from '../../platform/auth/counted-tries.ts';
import { constantTimeEqual } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { callerAddress, countRefusal, findSecondsRefused } from './address-refusals.store.ts';
import { callerCodeRule, strangersCodeRule, type CodePurpose } from './one-time-code.rules.ts';
import { hashesOfCode, scopeOf, type OneTimeCodesDeps, type Scoped } from './one-time-codes.ts';
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

/** The verdict on a code. Only `right` uses it up and clears the count of wrong ones. */
type CodeVerdict =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly locks: boolean }
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number };

/** Returns the error of a verdict that is not `right`. */
export const refusalOf = (verdict: Exclude<CodeVerdict, { kind: 'right' }>): AppError =>
  verdict.kind === 'wrong'
    ? new AppError('INVALID_OTP')
    : new AppError('OTP_LOCKED', { retryAfterSeconds: verdict.retryAfterSeconds });

/** A count of wrong codes whose row is locked. */
interface LockedGuard {
  readonly key: GuardKey;
  readonly rule: TryRule;
  readonly tries: CountedTries;
}

/** The caller under which the wrong codes of all untrusted devices are counted together. */
const anyStranger = 'strangers';

/**
 * Locks what counts a caller's wrong codes: theirs, for this purpose, and what is counted of all
 * strangers together, for all purposes. A trusted device is counted alone.
 */
const lockGuards = async (
  tx: Db,
  { scope: { phoneHash, purpose }, hashes }: Scoped,
  { client, isTrusted }: { readonly client: SignInClient; readonly isTrusted: boolean },
): Promise<LockedGuard[]> => {
  await rehashGuards(tx, hashes);
  const own: GuardKey = { phoneHash, purpose, caller: callerOf(client, isTrusted) };
  const all: GuardKey = { phoneHash, purpose: 'any-code', caller: anyStranger };
  const guards: LockedGuard[] = [];
  const rules = [
    { key: own, rule: callerCodeRule },
    ...(isTrusted ? [] : [{ key: all, rule: strangersCodeRule }]),
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
    const counted = countTry(tries, now, rule);
    if (counted.kind === 'locked') continue;
    await updateTries(tx, key, counted.next);
    locks ||= counted.locks;
  }
  return locks;
};

/** Returns the seconds for which none of the guards lets a code be judged, or 0 for none. */
const secondsLocked = (guards: readonly LockedGuard[], now: Date): number =>
  Math.max(
    0,
    ...guards.map(({ rule, tries }) => {
      const verdict = countTry(tries, now, rule);
      return verdict.kind === 'locked' ? verdict.retryAfterSeconds : 0;
    }),
  );

/** Judges a code against the stored one, and counts it where it is wrong. */
const judge = async (
  deps: CheckCodeDeps,
  tx: Db,
  {
    scoped,
    code,
    guards,
    now,
  }: {
    readonly scoped: Scoped;
    readonly code: string;
    readonly guards: readonly LockedGuard[];
    readonly now: Date;
  },
): Promise<CodeVerdict> => {
  const stored = await findCode(tx, scoped.scope);
  const matches = hashesOfCode(deps.credentialPepper, scoped, code).some((expected) =>
    constantTimeEqual(stored?.codeHash ?? '', expected),
  );
  const usable = stored !== undefined && stored.consumedAt === null && stored.expiresAt > now;
  // Without an open code nothing can be guessed, and to count would let strangers lock a phone.
  if (!usable) return { kind: 'wrong', locks: false };
  if (!matches) return { kind: 'wrong', locks: await countWrongCode(tx, guards, now) };
  await consumeCode(tx, stored.id, now);
  for (const { key } of guards) await deleteTries(tx, key);
  return { kind: 'right' };
};

/**
 * Checks a code in the caller's transaction. The transaction must commit whatever the verdict, or
 * wrong codes would not count: throw `refusalOf(verdict)` after it, not inside.
 */
export const checkCode = async (
  deps: CheckCodeDeps,
  tx: Db,
  { phone, purpose, code, client }: PresentedCode,
): Promise<CodeVerdict> => {
  const scoped = scopeOf(deps.blindIndex, phone, purpose);
  await rehashScope(tx, scoped.scope, scoped.hashes.slice(1));
  await lockScope(tx, scoped.scope);
  const now = deps.clock.now();
  const isTrusted = await isTrustedForPhone(tx, { phone, deviceId: client.deviceId }, now);
  const guards = await lockGuards(tx, scoped, { client, isTrusted });
  const address = callerAddress(client.ip);
  const bound = { most: deps.signInRules.refusalsPerAddressHour, now };
  const ofAddress = isTrusted ? 0 : await findSecondsRefused(tx, address, bound);
  const retryAfterSeconds = Math.max(ofAddress, secondsLocked(guards, now));
  if (retryAfterSeconds > 0) return { kind: 'locked', retryAfterSeconds };
  const verdict = await judge(deps, tx, { scoped, code, guards, now });
  // This count is locked last: a transaction that holds it waits for no other lock.
  if (verdict.kind === 'wrong' && !isTrusted) await countRefusal(tx, address, bound);
  return verdict;
};
