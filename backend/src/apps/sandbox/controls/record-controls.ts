import type { Router } from 'express';
import { z } from 'zod';
import { control, controlQuery } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const listedCount = 100;

const smsQuery = z.object({ phone: z.string().optional() });

const journalQuery = z.object({
  collaborator: z.string().optional(),
  operation: z.string().optional(),
  after: z
    .string()
    .regex(/^\d{1,15}$/u)
    .transform((text) => Number.parseInt(text, 10))
    .optional(),
});

/** Without `state`, the newest deliveries in any state are listed. */
const webhooksQuery = z.object({ state: z.literal('waiting').optional() });

/**
 * Adds `/_control/sms`, `/_control/journal` and `/_control/webhooks`, which list messages, received
 * calls and sent webhooks.
 */
export const recordControls = (router: Router, parts: SandboxParts): void => {
  const { messages, journal, outbox } = parts;
  router.get(
    '/sms',
    control((req) => ({ body: { messages: messages.list(controlQuery(req, smsQuery).phone) } })),
  );
  router.get(
    '/journal',
    control((req) => ({ body: { entries: journal.list(controlQuery(req, journalQuery)) } })),
  );
  router.get(
    '/webhooks',
    control((req) => {
      const { state } = controlQuery(req, webhooksQuery);
      const deliveries = state === undefined ? outbox.newest(listedCount) : outbox.waiting();
      return { body: { deliveries } };
    }),
  );
};
