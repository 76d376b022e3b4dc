export const ticketCategories = ['CONTACT', 'GRIEVANCE'] as const;
export type TicketCategory = (typeof ticketCategories)[number];

export const ticketStatuses = ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'CLOSED'] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** The content of a new ticket. Every field except the category is personal data. */
export interface TicketContent {
  readonly name: string;
  readonly email?: string | undefined;
  /** The phone number in E.164 format. */
  readonly phone?: string | undefined;
  readonly category: TicketCategory;
  readonly subject: string;
  readonly message: string;
}

/** The authors of messages. Customers see every operator as the support team. */
export const messageAuthors = ['CUSTOMER', 'OPERATOR'] as const;
export type MessageAuthor = (typeof messageAuthors)[number];

/** The states in which a ticket waits for support. Nothing of such a ticket is erased. */
export const openTicketStatuses = ['OPEN', 'IN_PROGRESS'] as const satisfies TicketStatus[];

/** The number of days before the due date from which an open ticket is due soon. */
export const dueSoonDays = 3;
