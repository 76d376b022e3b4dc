import { hashToken } from '../../platform/crypto/index.ts';
import { callerAddress } from './address-refusals.store.ts';

/** The rules of signing in, from the configuration. */
export interface SignInRules {
  /** SIGN_IN_REFUSALS_PER_ADDRESS_HOUR limits the refused codes and MPINs of an address in an hour. */
  readonly refusalsPerAddressHour: number;
  /** MPIN_TRUSTED_DEVICES_ONLY is true if every customer needs a trusted device for their MPIN. */
  readonly trustedDevicesOnly: boolean;
  /** SESSIONS_PER_CUSTOMER limits the live sessions of a customer. A further one ends the oldest. */
  readonly sessionsPerCustomer: number;
  /** MPIN_REFUSE_COMMON is true if a common MPIN may not be chosen. */
  readonly refusesCommonMpins: boolean;
}

/** A client that presents a code or an MPIN. */
export interface SignInClient {
  /** The client's address. */
  readonly ip: string;
  /** The device that the client claims to be. */
  readonly deviceId?: string | undefined;
}

/** Returns the caller whose tries are counted as one: a trusted device, or else the address. */
export const callerOf = ({ ip, deviceId }: SignInClient, isTrusted: boolean): string =>
  isTrusted ? `device|${hashToken(deviceId ?? '')}` : `address|${callerAddress(ip)}`;
