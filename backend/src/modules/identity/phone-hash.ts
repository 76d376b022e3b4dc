import type { BlindIndex } from '../../platform/crypto/index.ts';

/** The keyed hash by which a phone is known where the phone itself must not stand. */
export const hashPhone = (blindIndex: BlindIndex, phone: string): string =>
  blindIndex('phone', phone);
