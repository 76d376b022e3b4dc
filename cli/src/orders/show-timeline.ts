import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin } from '../desk/ask-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderTable } from '../io/output.ts';
import { tellMissing } from './show-order.ts';

/** The timeline of an order, oldest first. */
export const timelineAnswer = z.looseObject({
  items: z.array(
    z.looseObject({
      at: z.string(),
      kind: z.string(),
      actor: z.string().optional(),
      summary: z.string(),
    }),
  ),
});

/** Prints the timeline of an order, with the calls and events of collaborators. */
export const showTimeline = async (deps: CliDeps, id: string, command: Command): Promise<void> => {
  const found = await askAdmin(deps, command, timelineAnswer, (client) =>
    client.get('/v1/orders/{id}/timeline', { path: { id } }),
  ).catch(tellMissing(id));
  const rows = found.items.map(({ at, kind, summary, actor }) => [at, kind, summary, actor ?? '-']);
  printResult(deps, globalOptionsOf(command).output, {
    data: found,
    text: renderTable(['at', 'kind', 'what', 'actor'], rows),
  });
};
