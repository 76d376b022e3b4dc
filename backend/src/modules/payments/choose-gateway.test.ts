import { describe, expect, it } from 'vitest';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import { defaultGatewayOf, pickGateway, type GatewayRouting } from './choose-gateway.ts';

/** Only the code is looked at. */
const gatewaysOf = (...codes: string[]) =>
  new Map(codes.map((code) => [code, { code } as PaymentGateway]));

const gateways = gatewaysOf('alpha', 'beta', 'gamma', 'delta');
const routing: GatewayRouting = {
  defaultCode: 'delta',
  priority: ['gamma'],
  routes: { upi: 'beta' },
};
const pick = (wish: { preferred?: string; method?: 'upi' | 'card' }, ...disabled: string[]) =>
  pickGateway(gateways, new Set(disabled), routing, wish);

describe('the choice of a gateway', () => {
  it('goes by preference, then route, then priority, then default', () => {
    const wish = { preferred: 'alpha', method: 'upi' } as const;
    expect(pick(wish)).toBe('alpha');
    expect(pick(wish, 'alpha')).toBe('beta');
    expect(pick(wish, 'alpha', 'beta')).toBe('gamma');
    expect(pick(wish, 'alpha', 'beta', 'gamma')).toBe('delta');
  });

  it('never falls back on a disabled gateway', () => {
    expect(pick({ preferred: 'alpha' }, 'alpha', 'gamma', 'delta')).toBeUndefined();
  });

  it('takes a route only for its own instrument', () => {
    expect(pick({ method: 'card' })).toBe('gamma');
    expect(pick({})).toBe('gamma');
  });

  it('passes over a gateway that has no adapter', () => {
    expect(pick({ preferred: 'unheard-of' })).toBe('gamma');
    const only = gatewaysOf('delta');
    expect(pickGateway(only, new Set(), routing, { method: 'upi' })).toBe('delta');
    expect(pickGateway(gatewaysOf(), new Set(), routing, {})).toBeUndefined();
  });

  it('has the first configured gateway as default while operators named none that is there', () => {
    expect(defaultGatewayOf(gateways, { ...routing, defaultCode: null })).toBe('alpha');
    expect(defaultGatewayOf(gateways, { ...routing, defaultCode: 'gone' })).toBe('alpha');
    expect(defaultGatewayOf(gateways, routing)).toBe('delta');
    expect(defaultGatewayOf(gatewaysOf(), routing)).toBeUndefined();
  });
});
