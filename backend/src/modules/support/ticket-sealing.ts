import { addMs } from '../../platform/clock/clock.ts';
import { SealError, type Sealer, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';

/** Returns the sealing context of a ticket's column. A text can't be opened with another context. */
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

/** The retention time in ms of texts under the service key (contract: identity-and-kyc > Personal data). */
export const serviceSealedLifeMs = 30 * 24 * 60 * 60_000;

/**
 * Opens a text. Returns null if the text was erased or its key is gone, so that the rest of the ticket can
 * still be shown.
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
 * Chooses the key that seals a text of a ticket. It is the customer's key, so that the text is erased with
 * the customer. If there is no such key, it is the service key, and the result has a `purgeAfter`.
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
  const customerSealer = isService ? undefined : (await vault.forUsers(tx, [userId])).get(userId);
  if (customerSealer !== undefined) return { sealer: customerSealer, purgeAfter: null };
  return { sealer: vault.service, purgeAfter: purgeAfter ?? addMs(at, serviceSealedLifeMs) };
};
