import type { Router } from 'express';
import { z } from 'zod';
import { control, controlQuery } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const listed = 100;

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

/** Without `state` the newest are listed, whatever became of them. */
const webhooksQuery = z.object({ state: z.literal('waiting').optional() });

/** Adds `/_control/sms`, `/_control/journal` and `/_control/webhooks`: lists traffic in and out. */
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
      const deliveries = state === undefined ? outbox.newest(listed) : outbox.waiting();
      return { body: { deliveries } };
    }),
  );
};
