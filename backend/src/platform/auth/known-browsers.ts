import { constantTimeEqual, hashToken, type BlindIndex } from '../crypto/index.ts';
import { addressGroup } from '../http/index.ts';
import type { Random } from '../ids/random.ts';

/** The caller of a sign-in, by which the tries of one account are counted. */
export interface LoginCaller {
  /** `browser`: one that signed in to this account before. */
  readonly kind: 'stranger' | 'browser';
  readonly id: string;
}

/** A client that presents a password. */
interface LoginClient {
  readonly ip: string;
  /** The token that a sign-in of before gave this browser. */
  readonly browserToken?: string | undefined;
}

export interface KnownBrowsers {
  /** Returns a browser that knows its token for the account, else the client's address. */
  callerOf(email: string, client: LoginClient): LoginCaller;
  /** Makes the token of a browser that signed in to the account. It opens nothing. */
  issue(email: string): string;
}

/**
 * Tells browsers that signed in before by a token with a keyed hash over it and the account, so
 * that nothing is stored. `purpose` keeps the tokens of one API from another.
 */
export const createKnownBrowsers = ({
  blindIndex,
  random,
  purpose,
}: {
  readonly blindIndex: BlindIndex;
  readonly random: Pick<Random, 'bytes'>;
  readonly purpose: 'admin-browser' | 'portal-browser';
}): KnownBrowsers => ({
  callerOf(email, { ip, browserToken = '' }) {
    const [name = '', mark = ''] = browserToken.split('.');
    const marks = name === '' ? [] : blindIndex.all(purpose, `${email}|${name}`);
    // By the mark and not by the token: different writings of one token are one browser.
    return marks.some((each) => constantTimeEqual(each, mark))
      ? { kind: 'browser', id: `browser|${hashToken(mark)}` }
      : { kind: 'stranger', id: `address|${addressGroup(ip, 56)}` };
  },
  issue(email) {
    const name = random.bytes(16).toString('hex');
    return `${name}.${blindIndex(purpose, `${email}|${name}`)}`;
  },
});
