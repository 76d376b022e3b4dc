import { z } from 'zod';
import { phoneSchema } from '../identity/index.ts';
import { ticketCategories, ticketStatuses } from './support.types.ts';

const text = (maxLength: number, forbidden: RegExp) =>
  z
    .string('must be text')
    .min(1, 'must not be empty')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !forbidden.test(value), 'must not contain control characters')
    .transform((value) => value.trim())
    .pipe(z.string().min(1, 'must not be empty'));

const line = (maxLength: number) => text(maxLength, /[\p{Cc}\p{Cs}]/u);

export const ticketBody = z.object({
  name: line(100),
  email: line(254).pipe(z.email('must be an email address')).optional(),
  phone: phoneSchema.optional(),
  category: z.enum(ticketCategories),
  subject: line(200),
  // Line breaks and tabs may stand in a message.
  message: text(5000, /(?![\t\n\r])[\p{Cc}\p{Cs}]/u),
});

export const createdTicket = z.object({ reference: z.string() });
createdTicket.register(z.globalRegistry, {
  id: 'CreatedTicket',
  description: 'The reference to ask for the ticket by.',
  examples: [{ reference: 'DG-7K3M9QXP' }],
});

export const referenceParams = z.object({
  reference: z.string().regex(/^DG-[A-HJ-KM-NP-Z2-9]{8}$/u),
});

/** All that a reference shows: whoever has it may not be the one who wrote the ticket. */
export const ticketStatusView = z.object({ status: z.enum(ticketStatuses) });
