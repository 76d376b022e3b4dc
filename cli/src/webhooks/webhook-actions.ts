import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin, confirmed, given, listRows, pageOf, printRow } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import type { WebhookStatus } from './webhook-statuses.ts';

/** A signed event from the inbox. */
export const webhookForm = z.looseObject({
  id: z.string(),
  source: z.string(),
  gateway: z.string(),
  eventType: z.string().nullable(),
  subject: z.string().nullable(),
  status: z.string(),
  attempts: z.int(),
  lastError: z.string().nullable(),
  receivedAt: z.string(),
  appliedAt: z.string().nullable(),
});
type Webhook = z.infer<typeof webhookForm>;

/** A page of events. */
export const webhookPage = pageOf(webhookForm);

const columns = {
  event: ({ id }: Webhook) => id,
  source: ({ source, gateway }: Webhook) => `${source}, ${gateway}`,
  type: ({ eventType }: Webhook) => eventType ?? '-',
  subject: ({ subject }: Webhook) => subject ?? '-',
  status: ({ status }: Webhook) => status,
  tries: ({ attempts }: Webhook) => String(attempts),
  received: ({ receivedAt }: Webhook) => receivedAt,
  error: ({ lastError }: Webhook) => lastError ?? '-',
};

export interface ListOptions extends Paging {
  readonly status?: WebhookStatus;
  readonly subject?: string;
}

/** Prints events of a status, by default those that are pending. */
export const listWebhooks = (
  deps: CliDeps,
  { status, subject, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, webhookPage, {
    send: (client) =>
      client.get('/v1/webhook-events', { query: given({ page, limit, status, subject }) }),
    columns,
    none: 'No event waits.',
  });

/** Applies an event that waits. */
export const replayWebhook = async (
  deps: CliDeps,
  id: string,
  { yes }: { readonly yes?: boolean },
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Apply event ${id} now?`, yes);
  const event = await askAdmin(deps, command, webhookForm, (client) =>
    client.post('/v1/webhook-events/{id}/replay', { path: { id } }),
  );
  printRow(deps, command, event, { columns, more: [['applied', event.appliedAt ?? '-']] });
};
