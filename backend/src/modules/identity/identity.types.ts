import { signedIn, type Access } from '../../platform/http/index.ts';

/** A signed-in customer, whom the guard has read from the database for this request. */
export interface CustomerPrincipal {
  readonly userId: string;
  /** The phone number in E.164 format, such as `+919876543210`. */
  readonly phone: string;
  readonly deviceId: string;
  readonly sessionId: string;
}

/** Admits any signed-in customer. */
export const customerAccess: Access<CustomerPrincipal> = signedIn<CustomerPrincipal>();

/** The subject of a token, whose account may have been deleted since it was issued. */
export interface TokenSubject {
  readonly userId: string;
  /** The time of the deletion, or undefined if the account is not deleted. */
  readonly deletedAt: Date | undefined;
}

/** Admits any signed-in customer, and the holder of an unexpired token of a deleted account. */
export const tokenSubjectAccess: Access<TokenSubject> = {
  ...signedIn<TokenSubject>(),
  admitsDeleted: true,
};

/** The states of a customer's KYC. They are declared here because the customer's profile has them. */
export const kycStatuses = ['PENDING', 'SUBMITTED', 'APPROVED', 'REJECTED'] as const;
export type KycStatus = (typeof kycStatuses)[number];

/** A customer, without any credential hash. */
export interface User {
  readonly id: string;
  /** The phone number in E.164 format, or null once the account is deleted. */
  readonly phone: string | null;
  readonly fullName: string | null;
  readonly email: string | null;
  readonly referralCode: string;
  /** The gold provider's id of the customer, or null before the first KYC approval. */
  readonly providerUserId: string | null;
  readonly mpinSet: boolean;
  readonly blocked: boolean;
  readonly deletedAt: Date | null;
  readonly createdAt: Date;
}

/** A customer who may use the service. */
export type ActiveUser = User & { readonly phone: string };

/** Returns true for a customer who is neither blocked nor deleted. */
export const isActive = (user: User): user is ActiveUser =>
  user.phone !== null && !user.blocked && user.deletedAt === null;

/** One device's session. It keeps its id through every refresh. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly deviceName: string | null;
  readonly createdAt: Date;
  /** The issue time of the session's newest refresh token. */
  readonly lastUsedAt: Date;
  /** The expiry of the newest refresh token. */
  readonly expiresAt: Date;
}

/** A session as its owner sees it. */
export interface ListedSession extends Session {
  /** True for a device that can sign in by a biometric token. */
  readonly biometric: boolean;
  /** True for a device that may use the MPIN. */
  readonly trusted: boolean;
}

/** The reason why a session ended. */
export type RevocationReason =
  | 'replaced'
  | 'logout'
  | 'revoked'
  | 'token-reuse'
  | 'mpin-reset'
  | 'wrong-mpins'
  | 'crowded-out'
  | 'blocked';

/** The result of every way of signing in, and of a refresh. */
export interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly user: ActiveUser;
}
