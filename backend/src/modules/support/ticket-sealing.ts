import { SealError, type Sealer } from '../../platform/crypto/index.ts';

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

/** The life of what the service key seals (contract: identity-and-kyc > Personal data). */
export const strangersMs = 30 * 24 * 60 * 60_000;

/** Opens a text; null where it was erased, or its key is gone: the rest of the ticket stays. */
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
