import { defaultLimits, firstPrice, type Limits } from '../model/world.ts';
import { allow, busy, numberOf, textOf, type Command } from '../story.ts';
import { nothing } from './payments.ts';

/** The provider's price changes. */
export const movePrice: Command = {
  name: 'move-price',
  choose: (_story, { int, percent }) => {
    const buyPaise = percent(90)
      ? firstPrice.buyPaise - 30_000 + int(60_000)
      : Math.floor(firstPrice.buyPaise / 2) + int(firstPrice.buyPaise);
    return { buyPaise, sellPaise: buyPaise - 1 - int(60_000) };
  },
  prepare({ system }, given) {
    const price = {
      buyPaise: numberOf(given, 'buyPaise'),
      sellPaise: numberOf(given, 'sellPaise'),
    };
    return {
      call: () => system.control('PUT', '/price', price),
      judge(changed) {
        changed.prices.push(price);
      },
    };
  },
};

/** A super admin sets the spread of the price, which applies at once. */
export const setSpread: Command = {
  name: 'set-spread',
  choose: (_story, { int, percent }) =>
    percent(40) ? { buyBps: 0, sellBps: 0 } : { buyBps: int(300), sellBps: int(300) },
  prepare({ sessions }, given) {
    const spread = { buyBps: numberOf(given, 'buyBps'), sellBps: numberOf(given, 'sellBps') };
    const body = { buySpreadBps: spread.buyBps, sellSpreadBps: spread.sellBps };
    return {
      call: () => sessions.operator('SUPER_ADMIN', 'POST', '/v1/price/config', body),
      judge(changed, answer) {
        allow('spread', answer, ['200']);
        changed.spread = spread;
      },
    };
  },
};

const limitsOf = (name: string): Limits => {
  switch (name) {
    case 'tight':
      return {
        ...defaultLimits,
        minBuyPaise: 10_000,
        maxBuyPaise: 300_000,
        dailyBuyPaise: 500_000,
        minSellPaise: 5000,
        maxSellPaise: 200_000,
        mandateMaxPaise: 100_000,
        maxOpenDeliveryPaise: 20_000_000,
      };
    case 'wide':
      return { ...defaultLimits, minBuyPaise: 1, minSellPaise: 1, minSipPaise: 1000 };
    default:
      return defaultLimits;
  }
};

/** A super admin replaces the limits, which apply to the next request. */
export const setLimits: Command = {
  name: 'set-limits',
  choose: ({ world }, { pick, percent }) =>
    world.limits === defaultLimits || percent(30)
      ? { name: pick(['tight', 'tight', 'wide']) ?? 'usual' }
      : { name: 'usual' },
  prepare({ sessions }, given) {
    const limits = limitsOf(textOf(given, 'name'));
    return {
      call: () => sessions.operator('SUPER_ADMIN', 'PUT', '/v1/config/limits', limits),
      judge(changed, answer) {
        allow('limits', answer, ['200', ...busy]);
        if (answer.status === 200) changed.limits = limits;
      },
    };
  },
};

/** A gate is closed, or opened again, by its switch. */
export const setGate: Command = {
  name: 'set-gate',
  choose({ world }, { pick, percent }) {
    // A closed gate is soon opened again, since little happens while it is closed.
    const closed = (['buy', 'sell'] as const).find((gate) => !world.gates[gate]);
    if (closed !== undefined) return { gate: closed, open: true };
    return percent(12) ? { gate: pick(['buy', 'sell']) ?? 'buy', open: false } : undefined;
  },
  prepare({ system }, given) {
    const gate = textOf(given, 'gate') === 'sell' ? 'sell' : 'buy';
    const open = given['open'] === true;
    const name = gate === 'buy' ? 'DIGITAL_GOLD_PAYMENT_ENABLED' : 'DIGITAL_SELL_ENABLED';
    return {
      async call() {
        system.setSwitch(name, String(open));
        return nothing;
      },
      judge(changed) {
        changed.gates = { ...changed.gates, [gate]: open };
      },
    };
  },
};

/** A super admin turns a gateway off, or on again. */
export const setGateway: Command = {
  name: 'set-gateway',
  choose({ world }, { pick, percent }) {
    const off = pick(world.disabledGateways);
    if (off !== undefined && percent(85)) return { code: off, enabled: true };
    if (!percent(20)) return undefined;
    return { code: pick(['sandbox', 'razorpay', 'cashfree']) ?? 'sandbox', enabled: false };
  },
  prepare({ sessions }, given) {
    const code = textOf(given, 'code');
    const enabled = given['enabled'] === true;
    return {
      call: () =>
        sessions.operator('SUPER_ADMIN', 'PATCH', `/v1/payment-gateways/${code}`, { enabled }),
      judge(changed, answer) {
        allow('gateway', answer, ['200', ...busy]);
        const others = changed.disabledGateways.filter((known) => known !== code);
        changed.disabledGateways.splice(0, 3, ...others, ...(enabled ? [] : [code]));
      },
    };
  },
};

const faultsOf = [
  [
    'safegold',
    ['buy-verify', 'buy-confirm', 'buy-status', 'sell-verify', 'sell-confirm', 'sell-status', '*'],
  ],
  ['sandbox-gateway', ['create-order', 'get-order', 'list-payments', 'debit', '*']],
  ['razorpay', ['create-order', 'get-order', 'list-payments', '*']],
  ['cashfree', ['create-order', 'get-order', 'list-payments', '*']],
  ['razorpayx', ['create-payout', 'get-payout', 'create-contact', 'validate-account', '*']],
] as const;

const kinds = [
  'error',
  'error',
  'timeout',
  'reset',
  'accept_then_timeout',
  'accept_then_timeout',
  'malformed',
  'sparse',
  'odd_state',
  'odd_row',
  'wrong_amount',
];

/** A collaborator misbehaves at its next calls. */
export const fault: Command = {
  name: 'fault',
  choose(_story, { pick, int, percent }) {
    const [collaborator, operations] = pick(faultsOf) ?? faultsOf[0];
    const operation = pick(operations) ?? '*';
    const kind = pick(kinds) ?? 'error';
    // A wrong price is still a valid price, so neither the service nor the model could detect it.
    const wouldMovePrice = collaborator === 'safegold' && operation === '*';
    return {
      collaborator,
      operation: wouldMovePrice && kind === 'wrong_amount' ? 'buy-verify' : operation,
      fault: kind,
      times: percent(80) ? 1 + int(3) : 6,
    };
  },
  prepare({ system }, given) {
    return {
      call: () => system.tryControl('POST', '/faults', given),
      judge(changed, answer) {
        if (answer.status >= 300) return;
        const collaborator = textOf(given, 'collaborator');
        changed.troubled.push(collaborator);
        const isGateway = !['safegold', 'razorpayx'].includes(collaborator);
        if (isGateway && given['fault'] === 'wrong_amount') changed.toldWrongAmounts = true;
      },
    };
  },
};

/**
 * All faults end. The processes are restarted, since an open circuit would stay open for some
 * seconds.
 */
export const mend: Command = {
  name: 'mend',
  choose: ({ world }) => (world.troubled.length === 0 ? undefined : {}),
  prepare({ system }) {
    return {
      async call() {
        const answer = await system.control('DELETE', '/faults');
        await system.restart();
        return answer;
      },
      judge(changed) {
        changed.troubled.splice(0);
      },
    };
  },
};
