import type { Command } from 'commander';
import type { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { RefusalError } from '../clients/admin-api.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { confirmed } from '../desk/ask-admin.ts';
import { printResult } from '../io/output.ts';
import { orderAnswer, renderOrder } from './order.ts';
import type { Resolution } from './resolutions.ts';

export interface ResolveOptions {
  readonly reference?: string;
  readonly note?: string;
  readonly yes?: boolean;
}

type Order = z.output<typeof orderAnswer>;

const isUnderReview = ({ type, status, manual_review_code: code }: Order): boolean =>
  status === 'MANUAL_REVIEW' || (type === 'SELL' && status === 'VERIFIED' && code !== null);

/** Returns true for a buy that was allocated. A transaction at the provider does not show that. */
const hasGold = ({ events }: Order): boolean => events.some(({ to }) => to === 'ALLOCATED');

/** Returns the resolutions that may fit. The service checks them by the collaborators' answers. */
const listFitting = (order: Order): readonly Resolution[] => {
  if (!isUnderReview(order)) return [];
  if (order.type === 'SELL') return ['CONFIRM_SELL', 'RELEASE_SELL'];
  return hasGold(order) ? ['KEEP', 'RECOVER', 'REFUNDED'] : ['ALLOCATE', 'REFUNDED'];
};

const chooseResolution = async (
  deps: CliDeps,
  order: Order,
  given: Resolution | undefined,
): Promise<Resolution> => {
  const choices = listFitting(order);
  if (choices.length === 0) {
    throw new CliError(`order ${order.id} is not under review`, exitCodes.failed);
  }
  const hint = `For this order: ${choices.join(', ')}. "goldctl help runbook manual-review".`;
  const isTerminal = deps.stdin.isTty && deps.isTty;
  const text =
    given ?? (isTerminal ? (await deps.ask(`Resolution (${choices.join(', ')}):`)).trim() : '');
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const problem = text === '' ? 'no resolution is given' : `${text} does not fit this order`;
  throw new CliError(problem, exitCodes.usage, hint);
};

/** Ends the review of an order, by one of the resolutions that fit it. */
export const resolveOrder = async (
  deps: CliDeps,
  { id, given }: { readonly id: string; readonly given: Resolution | undefined },
  { reference, note, yes }: ResolveOptions,
  command: Command,
): Promise<void> => {
  const options = globalOptionsOf(command);
  const resolved = await withAdmin(deps, options, async ({ api }) => {
    const order = await api(orderAnswer, (client) =>
      client.get('/v1/orders/{id}', { path: { id } }),
    ).catch(tellMissing(id));
    const resolution = await chooseResolution(deps, order, given);
    await confirmed(deps, `End the review of order ${id} with ${resolution}?`, yes);
    const body = {
      resolution,
      ...(reference !== undefined && { reference }),
      ...(note !== undefined && { note }),
    };
    return api(orderAnswer, (client) =>
      client.post('/v1/orders/{id}/resolve', { path: { id }, body }),
    );
  });
  printResult(deps, options.output, { data: resolved, text: renderOrder(resolved) });
};

/**
 * Converts NOT_FOUND to an error that names the order.
 * @throws CliError failed for an unknown order, or else the given error
 */
export const tellMissing =
  (id: string) =>
  (error: unknown): never => {
    if (!(error instanceof RefusalError) || error.code !== 'NOT_FOUND') throw error;
    throw new CliError(`there is no gold order ${id}`, exitCodes.failed);
  };

/** Prints one gold order. */
export const showOrder = async (deps: CliDeps, id: string, command: Command): Promise<void> => {
  const options = globalOptionsOf(command);
  const found = await withAdmin(deps, options, ({ api }) =>
    api(orderAnswer, (client) => client.get('/v1/orders/{id}', { path: { id } })).catch(
      tellMissing(id),
    ),
  );
  printResult(deps, options.output, { data: found, text: renderOrder(found) });
};
