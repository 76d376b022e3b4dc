import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { defaultGatewayOf, listUsable, type GatewayCriteria } from './choose-gateway.ts';
import type { GatewayRouting, GatewaySetting } from './gateway-settings.store.ts';
import { paymentMethods } from './payments.types.ts';

/** Creates gateways with only the fields that the choice reads. */
const gatewaysOf = (codes: readonly string[], silent: ReadonlySet<string> = new Set()) =>
  new Map(
    codes.map((code) => [code, { code, isAvailable: () => !silent.has(code) } as PaymentGateway]),
  );

const codes = ['alpha', 'beta', 'gamma', 'delta'];
const gateways = gatewaysOf(codes);
const routing: GatewayRouting = {
  defaultCode: 'delta',
  priority: ['gamma'],
  routes: { upi: 'beta' },
};
const settingsOf = (disabled: readonly string[]) => ({
  routing,
  byCode: new Map(disabled.map((code) => [code, { enabled: false, mode: 'live' } as const])),
});
const list = (wish: GatewayCriteria, ...disabled: string[]) =>
  listUsable({ gateways, liveOnly: false, settings: settingsOf(disabled) }, wish);

describe('the choice of a gateway', () => {
  it('tries the preference, then the route, then the priority list, then the default', () => {
    const wish = { preferred: 'alpha', method: 'upi' } as const;
    expect(list(wish)).toEqual(['alpha', 'beta', 'gamma', 'delta']);
    expect(list(wish, 'alpha', 'gamma')).toEqual(['beta', 'delta']);
    expect(list(wish, 'alpha', 'beta', 'gamma')).toEqual(['delta']);
  });

  it('offers no other gateway for a mandate', () => {
    expect(list({ only: 'alpha', method: 'upi' })).toEqual(['alpha']);
    expect(list({ only: 'alpha', method: 'upi' }, 'alpha')).toEqual([]);
  });

  it('uses a route only for its own instrument', () => {
    expect(list({ method: 'card' })).toEqual(['gamma', 'delta']);
    expect(list({})).toEqual(['gamma', 'delta']);
  });

  it('skips a gateway without credentials or with an open circuit', () => {
    expect(list({ preferred: 'unheard-of' })).toEqual(['gamma', 'delta']);
    const few = gatewaysOf(['beta', 'delta'], new Set(['delta']));
    const choice = { gateways: few, liveOnly: false, settings: settingsOf([]) };
    expect(listUsable(choice, { method: 'upi' })).toEqual(['beta']);
    expect(listUsable({ ...choice, gateways: gatewaysOf([]) }, {})).toEqual([]);
  });

  it('uses a gateway in mode `test` or without settings only outside production', () => {
    const byCode = new Map<string, GatewaySetting>([
      ['gamma', { enabled: true, mode: 'live' }],
      ['delta', { enabled: true, mode: 'test' }],
    ]);
    const settings = { routing, byCode };
    const wish = { method: 'upi' } as const;
    expect(listUsable({ gateways, liveOnly: true, settings }, wish)).toEqual(['gamma']);
    const anywhere = listUsable({ gateways, liveOnly: false, settings }, wish);
    expect(anywhere).toEqual(['beta', 'gamma', 'delta']);
  });

  it("uses the first configured gateway as default if the operators' default is not configured", () => {
    expect(defaultGatewayOf(gateways, { ...routing, defaultCode: null })).toBe('alpha');
    expect(defaultGatewayOf(gateways, { ...routing, defaultCode: 'gone' })).toBe('alpha');
    expect(defaultGatewayOf(gateways, routing)).toBe('delta');
    expect(defaultGatewayOf(gatewaysOf([]), routing)).toBeUndefined();
  });
});

const anyCode = fc.constantFrom(...codes, 'unheard-of');
const anySetting = fc.record({
  enabled: fc.boolean(),
  mode: fc.constantFrom('test' as const, 'live' as const),
});
const anyCase = fc.record({
  configured: fc.subarray(codes),
  silent: fc.subarray(codes),
  liveOnly: fc.boolean(),
  settings: fc.dictionary(anyCode, anySetting, { noNullPrototype: true }),
  defaultCode: fc.option(anyCode),
  priority: fc.array(anyCode, { maxLength: 6 }),
  routes: fc.record(
    { upi: anyCode, card: anyCode, netbanking: anyCode, wallet: anyCode },
    { requiredKeys: [], noNullPrototype: true },
  ),
  preferred: fc.option(anyCode, { nil: undefined }),
  method: fc.option(fc.constantFrom(...paymentMethods), { nil: undefined }),
});

type AnyCase = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

/** Returns true for a gateway that the settings allow, step by step, as the contract describes. */
const mayBeUsed = ({ configured, silent, liveOnly, settings }: AnyCase, code: string): boolean => {
  const { enabled, mode } = settings[code] ?? { enabled: true, mode: 'test' };
  const isReachable = configured.includes(code) && !silent.includes(code);
  return isReachable && enabled && (!liveOnly || mode === 'live');
};

it('the choice lists exactly the usable gateways of any settings, in the documented order', () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      const { configured, silent, liveOnly, settings, preferred, method, defaultCode } = given;
      const gatewaysThere = gatewaysOf(configured, new Set(silent));
      const asSet = { byCode: new Map(Object.entries(settings)), routing: given };
      const choice = { gateways: gatewaysThere, liveOnly, settings: asSet };
      const listed = listUsable(choice, { preferred, method });

      expect(listed.filter((code) => !mayBeUsed(given, code))).toEqual([]);
      const isDefaultThere = defaultCode !== null && configured.includes(defaultCode);
      const steps = [
        preferred,
        method && given.routes[method],
        ...given.priority,
        isDefaultThere ? defaultCode : configured[0],
      ].flatMap((code) => code ?? []);
      const ranks = listed.map((code) => steps.indexOf(code));
      expect(ranks).not.toContain(-1);
      expect(ranks).toEqual([...new Set(ranks)].toSorted((one, other) => one - other));
      const left = steps.filter((code) => mayBeUsed(given, code) && !listed.includes(code));
      expect(left).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
