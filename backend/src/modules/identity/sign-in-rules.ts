import { hashToken } from '../../platform/crypto/index.ts';
import { callerAddress } from './address-refusals.store.ts';

/** The rules of signing in, from the configuration. */
export interface SignInRules {
  /** SIGN_IN_REFUSALS_PER_ADDRESS_HOUR: refused codes and MPINs of one address, over all phones. */
  readonly refusalsPerAddressHour: number;
  /** MPIN_TRUSTED_DEVICES_ONLY: an MPIN only signs in on a trusted device. */
  readonly trustedDevicesOnly: boolean;
  /** SESSIONS_PER_CUSTOMER: live sessions of a customer. One more ends the oldest. */
  readonly sessionsPerCustomer: number;
  /** MPIN_REFUSE_COMMON: no new MPIN is one of those that many people choose. */
  readonly refusesCommonMpins: boolean;
}

/** A client that presents a code or an MPIN, as it says and as it is seen. */
export interface SignInClient {
  /** The client's address. */
  readonly ip: string;
  readonly deviceId?: string | undefined;
}

/** Names a caller whose tries are counted together: a trusted device, else the address. */
export const callerOf = ({ ip, deviceId }: SignInClient, isTrusted: boolean): string =>
  isTrusted ? `device|${hashToken(deviceId ?? '')}` : `address|${callerAddress(ip)}`;
