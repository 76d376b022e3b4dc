import type { GatewayOrder, PaymentGateway } from '../../src/adapters/payment-gateway/port.ts';
import { done, mapDone, refused, unknown } from '../../src/platform/outcome/outcome.ts';

type Gateways = ReadonlyMap<string, PaymentGateway>;

/**
 * Ways in which a gateway fails to create orders. `refused`: it refuses. `unreachable`: nothing was
 * sent. `silent`: it answers nothing at all, and has done nothing. `lost`: it makes the order, and
 * its answer is lost. It does not answer queries for the order either.
 */
export const gatewayFaults = ['refused', 'unreachable', 'silent', 'lost'] as const;
type GatewayFault = (typeof gatewayFaults)[number];

/**
 * Gateways of the sandbox's kind under separate codes, and the faults that a test causes at them.
 */
interface SeveralGateways {
  readonly wrapGateways: (real: Gateways) => Gateways;
  /** The gateways that fail, by code. */
  readonly faults: Map<string, GatewayFault>;
  /** The gateways whose circuit is open. */
  readonly openCircuits: Set<string>;
  /** The codes of the gateways that received a request to create an order, oldest first. */
  readonly asked: string[];
}

/** The gateways share the sandbox's books, so each has separate receipts there. */
const receiptAt = (code: string, receipt: string): string => `${code}:${receipt}`;

const wrap = (
  real: PaymentGateway,
  code: string,
  state: Omit<SeveralGateways, 'wrapGateways'>,
): PaymentGateway => {
  const toOwn = (order: GatewayOrder): GatewayOrder => ({
    ...order,
    receipt: order.receipt.slice(code.length + 1),
  });
  const isMute = () => state.faults.get(code) === 'silent' || state.faults.get(code) === 'lost';
  return {
    ...real,
    code,
    publicKey: `key-of-${code}`,
    isAvailable: () => !state.openCircuits.has(code),
    async createOrder(order) {
      state.asked.push(code);
      const fault = state.faults.get(code);
      if (fault === 'refused') return refused('GATEWAY_REFUSED', 'as the test says');
      if (fault === 'unreachable') return refused('NOT_SENT', 'as the test says');
      if (fault === 'silent') return unknown('silent');
      const made = await real.createOrder({ ...order, receipt: receiptAt(code, order.receipt) });
      return fault === 'lost' ? unknown('lost') : mapDone(made, toOwn);
    },
    async findOrderByReceipt(receipt) {
      if (isMute()) return unknown('silent');
      const found = await real.findOrderByReceipt(receiptAt(code, receipt));
      return found.kind === 'done' && found.value !== undefined ? done(toOwn(found.value)) : found;
    },
    listPayments: async (id) => (isMute() ? unknown('silent') : real.listPayments(id)),
  };
};

/** Creates gateways with these codes, in this order of the configuration. */
export const createSeveralGateways = (codes: readonly string[]): SeveralGateways => {
  const state = {
    faults: new Map<string, GatewayFault>(),
    openCircuits: new Set<string>(),
    asked: [] as string[],
  };
  return {
    ...state,
    wrapGateways(gateways) {
      const [real] = gateways.values();
      if (real === undefined) throw new Error('there is no gateway to copy');
      return new Map(codes.map((code) => [code, wrap(real, code, state)]));
    },
  };
};
