import type { Clock } from '../clock/clock.ts';
import { constantTimeEqual, hashToken, type BlindIndex } from '../crypto/index.ts';
import { addressGroup } from '../http/index.ts';
import type { Random } from '../ids/random.ts';

/** The caller of a sign-in. Tries on an account are counted for each caller. */
export interface LoginCaller {
  /**
   * A `browser` has signed in to this account before. A `session` is signed in and confirms its
   * password again. A `stranger` is any other caller.
   */
  readonly kind: 'stranger' | 'browser' | 'session';
  readonly id: string;
}

/** A client that presents a password. */
interface LoginClient {
  readonly ip: string;
  /** The token that an earlier sign-in gave this browser. */
  readonly browserToken?: string | undefined;
}

/**
 * Returns the caller for a person who is signed in. All sessions of a person are the same caller.
 */
export const sessionCaller = (ownerId: string): LoginCaller => ({
  kind: 'session',
  id: `session|${ownerId}`,
});

export interface KnownBrowsers {
  /**
   * Returns the browser as the caller if its token is valid for the account, else the client's
   * address.
   */
  callerOf(email: string, client: LoginClient): LoginCaller;
  /**
   * Returns the token of a caller who signed in to the account. A known browser keeps its token
   * while the token is young. Any other caller gets a new token. The token alone gives no access.
   */
  tokenFor(email: string, caller: LoginCaller, browserToken: string | undefined): string;
}

const dayMs = 24 * 60 * 60_000;
/**
 * The days for which a browser is known after its token was made. A customer's device is trusted
 * for as long.
 */
const knownDays = 180;
/** The age in days from which a sign-in replaces a browser's token. */
const renewedDays = 30;

const nameOf = (browserToken: string): string => browserToken.split('.')[0] ?? '';

/**
 * Returns the day on which a name was made. Names of an earlier form contain no day and count as
 * expired.
 */
const dayOf = (name: string): number => Number(/-(\d{1,6})$/u.exec(name)?.[1] ?? 0);

/**
 * Recognises browsers that signed in before. Their token holds a keyed hash over its name and the
 * account, so nothing is stored. The name holds the day on which the token was made. `purpose`
 * separates the tokens of the APIs.
 */
export const createKnownBrowsers = ({
  blindIndex,
  clock,
  random,
  purpose,
}: {
  readonly blindIndex: BlindIndex;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly purpose: 'admin-browser' | 'portal-browser';
}): KnownBrowsers => {
  const today = (): number => Math.floor(clock.now().getTime() / dayMs);
  const isYoung = (name: string, days: number): boolean => Math.abs(today() - dayOf(name)) <= days;

  return {
    callerOf(email, { ip, browserToken = '' }) {
      const [name = '', mark = ''] = browserToken.split('.');
      const marks = isYoung(name, knownDays) ? blindIndex.all(purpose, `${email}|${name}`) : [];
      // The mark identifies the browser, not the token, since a token can be written in different
      // ways.
      return marks.some((each) => constantTimeEqual(each, mark))
        ? { kind: 'browser', id: `browser|${hashToken(mark)}` }
        : { kind: 'stranger', id: `address|${addressGroup(ip, 56)}` };
    },
    tokenFor(email, { kind }, browserToken = '') {
      if (kind === 'browser' && isYoung(nameOf(browserToken), renewedDays)) return browserToken;
      const name = `${random.bytes(16).toString('hex')}-${today()}`;
      return `${name}.${blindIndex(purpose, `${email}|${name}`)}`;
    },
  };
};
