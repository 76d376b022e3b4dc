import { addMs } from '../../platform/clock/clock.ts';
import { SealError, type Sealer, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';

/** Returns the place of a sealed text: one that was moved elsewhere does not open. */
export const ticketContext = (name: string, row: string) => ({
  purpose: 'support',
  column: `support_ticket.${name}`,
  row,
});

export const noteContext = (row: string) => ({
  purpose: 'support',
  column: 'support_ticket_event.note',
  row,
});

export const messageContext = (row: string) => ({
  purpose: 'support',
  column: 'support_ticket_message.body',
  row,
});

/** The life of what the service key seals (contract: identity-and-kyc > Personal data). */
export const strangersMs = 30 * 24 * 60 * 60_000;

/**
 * Opens a text. Returns null where it was erased, or its key is gone: the rest of the ticket stays.
 */
export const openText = (
  sealer: Sealer | undefined,
  sealed: string | null,
  context: ReturnType<typeof noteContext>,
): string | null => {
  if (sealer === undefined || sealed === null) return null;
  try {
    return sealer.open(sealed, context);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
};

/**
 * Chooses the key that seals a text about a ticket: the customer's, so that it goes with them, or
 * the service key where there is none, or it is destroyed. Such a text has a time to be erased.
 */
export const chooseSealer = async (
  vault: Pick<Vault, 'forUsers' | 'service'>,
  tx: Db,
  {
    ticket: { userId, purgeAfter },
    at,
  }: {
    readonly ticket: { readonly userId: string | null; readonly purgeAfter: Date | null };
    readonly at: Date;
  },
): Promise<{ readonly sealer: Sealer; readonly purgeAfter: Date | null }> => {
  const isService = userId === null || purgeAfter !== null;
  const own = isService ? undefined : (await vault.forUsers(tx, [userId])).get(userId);
  if (own !== undefined) return { sealer: own, purgeAfter: null };
  return { sealer: vault.service, purgeAfter: purgeAfter ?? addMs(at, strangersMs) };
};
