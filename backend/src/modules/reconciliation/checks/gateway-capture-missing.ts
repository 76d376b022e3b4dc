import { GATEWAY_NOT_FOUND } from '../../../adapters/payment-gateway/port.ts';
import { fetchEach, toFetched } from '../fetch-each.ts';
import { mergeFindings, noFindings } from '../findings.ts';
import type { Check, CheckContext, Findings } from '../reconciliation.types.ts';
import { findUnknownCaptures, findUsedGateways } from './gateway/gateway-rows.ts';
import { listGateway } from './gateway/list-gateway.ts';
import { queryGateways } from './gateway/query-gateways.ts';

/** An order id that can't exist. A gateway that answers "not found" to it can be reached. */
const noSuchOrder = 'reconciliation-check';

/**
 * Checks that the gateways without lists of their account can be reached. It is needed if there is
 * no order to query.
 */
const probe = async ({ gateways, limits }: CheckContext): Promise<Findings> => {
  const items = [...gateways.values()].filter(({ account }) => account === undefined);
  const { incomplete } = await fetchEach({ items, total: items.length }, limits, async (gateway) =>
    toFetched(gateway.code, await gateway.getOrder(noSuchOrder), {
      onDone: () => true,
      onRefused: (code) => code === GATEWAY_NOT_FOUND || undefined,
    }),
  );
  return incomplete === undefined ? noFindings : { ...noFindings, incomplete };
};

/**
 * Finds captures at a gateway that are booked for no order here, signed captures of unknown orders,
 * and unrecorded refunds and lost disputes of recorded captures. It reads the gateways' own lists
 * of the window, or queries each payment order if a gateway has no list. A capture whose event
 * for a known order still waits in the inbox is reported by `webhook_backlog`.
 */
export const gatewayCaptureMissing: Check = {
  id: 'gateway_capture_missing',
  title: 'The gateway has a capture, refund or lost dispute that we lack',
  severity: 'critical',
  callsCollaborator: true,
  async run(context) {
    const { read, from, gateways } = context;
    const found = [await findUnknownCaptures(read, from)];
    const used = new Set(await findUsedGateways(read, [...gateways.keys()]));
    const listed: string[] = [];
    for (const [code, gateway] of gateways) {
      if (gateway.account === undefined) continue;
      listed.push(code);
      // A gateway that never had an order of this service is queried only if no gateway ever had
      // an order.
      if (used.has(code) || used.size === 0) {
        found.push(await listGateway(context, gateway, gateway.account));
      }
    }
    const { total, ...queried } = await queryGateways(context, listed);
    if (total === 0 && used.size === 0) found.push(await probe(context));
    return mergeFindings(...found, queried);
  },
};
