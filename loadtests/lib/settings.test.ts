import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

describe('readSettings', () => {
  it('is a smoke of the local stack when nothing is said', () => {
    expect(readSettings({})).toEqual({
      profile: 'smoke',
      apis: ['customer', 'admin', 'accounting'],
      baseUrls: {
        customer: 'http://127.0.0.1:4000',
        admin: 'http://127.0.0.1:4001',
        accounting: 'http://127.0.0.1:4002',
      },
      sandboxUrl: 'http://127.0.0.1:4010',
      operator: { email: '', password: '' },
      accountant: { email: '', password: '' },
      hosts: {},
      hop: 'played',
      otherCustomerUrl: undefined,
      cache: 'running',
      windowSeconds: 60,
      tickMs: 10_000,
      latenessP95Ms: undefined,
      priceMayStand: false,
      latenessMaxMs: undefined,
      spreadP99Ms: undefined,
      missedMarks: 0,
      sockets: undefined,
      firstMarkMs: undefined,
      seconds: undefined,
      segment: undefined,
      requestP95Ms: undefined,
      patienceSeconds: undefined,
      spareSeconds: 60,
      resultsDir: undefined,
    });
  });

  it('takes what is said, and an empty text as nothing', () => {
    const settings = readSettings({
      PROFILE: 'load',
      APIS: 'admin,customer',
      CUSTOMER_URL: 'https://customer.example.test/',
      HOSTS: 'customer.example.test=192.0.2.1:8443, admin.example.test=192.0.2.2',
      HOP: 'real',
      TICK_MS: '500',
      WINDOW_SECONDS: '',
      RESULTS_DIR: 'results',
    });
    expect(settings).toMatchObject({
      profile: 'load',
      apis: ['admin', 'customer'],
      hosts: { 'customer.example.test': '192.0.2.1:8443', 'admin.example.test': '192.0.2.2' },
      hop: 'real',
      tickMs: 500,
      windowSeconds: 60,
      resultsDir: 'results',
    });
    expect(settings.baseUrls.customer).toBe('https://customer.example.test');
  });

  it.each([
    ['PROFILE', 'huge'],
    ['APIS', 'customer,worker'],
    ['HOP', 'two'],
    ['CACHE', 'lost'],
    ['OTHER_CUSTOMER_URL', 'customer.example.test'],
    ['HOSTS', 'customer.example.test'],
    ['HOSTS', 'a=b=c'],
    ['WINDOW_SECONDS', '0'],
    ['TICK_MS', '1.5'],
    ['CUSTOMER_URL', 'customer.example.test'],
    ['ADMIN_URL', 'http://admin.example.test/v1'],
  ])('refuses %s=%s by name', (name, text) => {
    expect(() => readSettings({ [name]: text })).toThrow(name);
  });
});
