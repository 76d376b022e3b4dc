export const ticketCategories = ['CONTACT', 'GRIEVANCE'] as const;
export type TicketCategory = (typeof ticketCategories)[number];

export const ticketStatuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** A ticket as it is written; everything but the category is personal. */
export interface TicketContent {
  readonly name: string;
  readonly email?: string | undefined;
  /** E.164. */
  readonly phone?: string | undefined;
  readonly category: TicketCategory;
  readonly subject: string;
  readonly message: string;
}
