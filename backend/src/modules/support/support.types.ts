export const ticketCategories = ['CONTACT', 'GRIEVANCE'] as const;
export type TicketCategory = (typeof ticketCategories)[number];

export const ticketStatuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** A ticket as it is written. Everything but the category is personal. */
export interface TicketContent {
  readonly name: string;
  readonly email?: string | undefined;
  /** E.164. */
  readonly phone?: string | undefined;
  readonly category: TicketCategory;
  readonly subject: string;
  readonly message: string;
}

/** Who wrote a message of a thread. Customers see every operator as the house's support. */
export const messageAuthors = ['CUSTOMER', 'OPERATOR'] as const;
export type MessageAuthor = (typeof messageAuthors)[number];

/** States in which a ticket waits for the house: nothing of it is erased then. */
export const openTicketStatuses = ['OPEN', 'IN_PROGRESS'] as const satisfies TicketStatus[];

/** Days before its due date from which an open ticket is due soon. */
export const dueSoonDays = 3;
