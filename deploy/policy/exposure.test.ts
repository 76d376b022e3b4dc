import { describe, expect, it } from 'vitest';
import { encryptedHosts, internalAccounting } from './exposure.ts';
import type { PolicySettings } from './settings.ts';

const prod: PolicySettings = {
  tier: 'prod',
  internalClasses: ['internal', 'vpn'],
  internalGateways: [
    { name: 'inside', namespace: 'edge' },
    { name: 'shared', namespace: 'edge', sectionName: 'inside' },
  ],
};
const dev: PolicySettings = { ...prod, tier: 'dev' };

const ingress = (service: string, ingressClassName?: string, tls: readonly object[] = []) => ({
  spec: {
    ...(ingressClassName === undefined ? {} : { ingressClassName }),
    tls,
    rules: [
      {
        host: 'api.example',
        http: { paths: [{ path: '/', backend: { service: { name: service } } }] },
      },
    ],
  },
});
const route = (service: string, ...parentRefs: readonly object[]) => ({
  metadata: { namespace: 'gold' },
  spec: {
    parentRefs,
    rules: [{ backendRefs: [{ name: service }] }],
  },
});
const httpRoute = 'kubernetes:gateway.networking.k8s.io/v1:HTTPRoute';

describe('accounting', () => {
  const rule = internalAccounting(prod);
  const type = 'kubernetes:networking.k8s.io/v1:Ingress';

  it('is reached by internal classes, the others by any', () => {
    expect(rule(type, ingress('digital-gold-accounting', 'internal'))).toEqual([]);
    expect(rule(type, ingress('digital-gold-accounting', 'vpn'))).toEqual([]);
    expect(rule(type, ingress('digital-gold-customer', 'public'))).toEqual([]);
  });

  it('is not reached by another, nor by whichever is the default', () => {
    expect(rule(type, ingress('digital-gold-accounting', 'public'))[0]).toContain('class public');
    expect(rule(type, ingress('digital-gold-accounting'))[0]).toContain('class none');
    const byDefault = {
      spec: {
        ingressClassName: 'public',
        defaultBackend: { service: { name: 'digital-gold-accounting' } },
      },
    };
    expect(rule(type, byDefault)).toHaveLength(1);
  });

  it.each(['LoadBalancer', 'NodePort'])('is not bypassed by a %s', (kind) => {
    expect(rule('kubernetes:core/v1:Service', { spec: { type: kind } })).toHaveLength(1);
    expect(rule('kubernetes:core/v1:Service', { spec: {} })).toEqual([]);
  });

  it('is not bypassed by addresses of a Service', () => {
    const spec = { type: 'ClusterIP', externalIPs: ['203.0.113.7'] };
    expect(rule('kubernetes:core/v1:Service', { spec })[0]).toContain('externalIPs');
  });

  const inside = { name: 'inside', namespace: 'edge' };
  const ofAccounting = (...refs: readonly object[]) =>
    rule(httpRoute, route('digital-gold-accounting', ...refs));

  it('is reached by internal Gateways, the others by any', () => {
    expect(ofAccounting(inside)).toEqual([]);
    expect(ofAccounting({ ...inside, sectionName: 'https' })).toEqual([]);
    expect(ofAccounting({ name: 'shared', namespace: 'edge', sectionName: 'inside' })).toEqual([]);
    expect(rule(httpRoute, route('digital-gold-customer', { name: 'outside' }))).toEqual([]);
    const own = { ...prod, internalGateways: [{ name: 'inside', namespace: 'gold' }] };
    const toOwn = route('digital-gold-accounting', { name: 'inside' });
    expect(internalAccounting(own)(httpRoute, toOwn)).toEqual([]);
  });

  it.each([
    ['another Gateway', { name: 'outside' }, 'gold/outside'],
    ['one of the same name elsewhere', { ...inside, namespace: 'public' }, 'public/inside'],
    ['one of its name beside it', { name: 'inside' }, 'gold/inside'],
    ['all of a Gateway that is shared', { name: 'shared', namespace: 'edge' }, 'edge/shared'],
    [
      'the other listener of one that is shared',
      { name: 'shared', namespace: 'edge', sectionName: 'outside' },
      'edge/shared/outside',
    ],
  ])('is not reached by %s', (_what, ref, named) => {
    const [sentence, ...others] = ofAccounting(inside, ref);
    expect(sentence).toContain(`the Gateway ${named}: allowed are edge/inside, edge/shared/inside`);
    expect(others).toEqual([]);
  });

  it('is not reached by a route without a Gateway, which may get one', () => {
    expect(ofAccounting()).toHaveLength(1);
  });
});

describe('hosts', () => {
  const kind = 'kubernetes:networking.k8s.io/v1:Ingress';
  const tls = [{ hosts: ['api.example'], secretName: 'api-tls' }];

  it('of prod need a certificate', () => {
    expect(encryptedHosts(prod)(kind, ingress('digital-gold-customer', 'public', tls))).toEqual([]);
    expect(encryptedHosts(prod)(kind, ingress('digital-gold-customer', 'public'))[0]).toContain(
      'api.example has no certificate',
    );
  });

  it.each([
    ['each listener', {}, 'every listener of edge/outside'],
    ['port 80', { port: 80 }, 'in clear by edge/outside/80'],
    ['the listener http', { sectionName: 'http' }, 'in clear by edge/outside/http'],
  ])('of prod are not served by %s of a Gateway', (_what, listener, sentence) => {
    const ref = { name: 'outside', namespace: 'edge', ...listener };
    const violations = encryptedHosts(prod)(httpRoute, route('digital-gold-customer', ref));
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(sentence);
  });

  it.each([{ sectionName: 'https' }, { port: 443 }])('of prod may be served by %j', (listener) => {
    const ref = { name: 'outside', namespace: 'edge', ...listener };
    expect(encryptedHosts(prod)(httpRoute, route('digital-gold-customer', ref))).toEqual([]);
  });

  it('of other tiers may be without', () => {
    expect(encryptedHosts(dev)(kind, ingress('digital-gold-customer', 'public'))).toEqual([]);
    const ref = { name: 'outside' };
    expect(encryptedHosts(dev)(httpRoute, route('digital-gold-customer', ref))).toEqual([]);
  });
});
