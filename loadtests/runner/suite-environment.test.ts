import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { suiteEnvironment } from './suite-environment.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endpoints-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const environment = (env: Readonly<Record<string, string>>) =>
  suiteEnvironment(env, {
    profile: 'smoke',
    endpointsFile: join(folder, 'endpoints.json'),
    resultsDir: 'results',
  });

const writeEndpoints = (): void => {
  const endpoints = {
    customer: 'http://127.0.0.1:5000',
    admin: 'http://127.0.0.1:5001',
    accounting: 'http://127.0.0.1:5002',
    sandbox: 'http://127.0.0.1:5010',
    admins: { ADMIN: { email: 'admin@example.test', password: 'p-1' } },
    portalUsers: { accountant: { email: 'accountant@example.test', password: 'p-2' } },
    jwtSecret: 'a secret',
  };
  writeFileSync(join(folder, 'endpoints.json'), JSON.stringify(endpoints));
};

it('takes the addresses and people of the stack, and no secret of its processes', () => {
  writeEndpoints();
  const { variables, settings } = environment({ CUSTOMER_URL: '' });
  expect(variables).toEqual({
    CUSTOMER_URL: 'http://127.0.0.1:5000',
    ADMIN_URL: 'http://127.0.0.1:5001',
    ACCOUNTING_URL: 'http://127.0.0.1:5002',
    SANDBOX_URL: 'http://127.0.0.1:5010',
    OPERATOR_EMAIL: 'admin@example.test',
    OPERATOR_PASSWORD: 'p-1',
    ACCOUNTANT_EMAIL: 'accountant@example.test',
    ACCOUNTANT_PASSWORD: 'p-2',
    PROFILE: 'smoke',
    RESULTS_DIR: 'results',
  });
  expect(settings.baseUrls.accounting).toBe('http://127.0.0.1:5002');
});

it('leaves the stack alone when an address is given', () => {
  writeEndpoints();
  const { variables, settings } = environment({
    CUSTOMER_URL: 'https://customer.example.test',
    APIS: 'customer',
  });
  expect(variables).toEqual({ PROFILE: 'smoke', RESULTS_DIR: 'results' });
  expect(settings.baseUrls.customer).toBe('https://customer.example.test');
  expect(settings.apis).toEqual(['customer']);
});

it('takes one address for a customer API, or for all', () => {
  const one = environment({ BASE_URL: 'https://customer.example.test' });
  expect(one.settings.apis).toEqual(['customer']);
  expect(one.settings.baseUrls.customer).toBe('https://customer.example.test');
  const all = environment({ BASE_URL: 'https://{api}.example.test' });
  expect(all.settings.baseUrls).toEqual({
    customer: 'https://customer.example.test',
    admin: 'https://admin.example.test',
    accounting: 'https://accounting.example.test',
  });
});

it('says in one line that there is no stack', () => {
  expect(() => environment({})).toThrow(/^there is no .*endpoints\.json: .*make up.*$/u);
});

it('refuses a wrong setting before anything runs', () => {
  writeEndpoints();
  expect(() => environment({ HOP: 'two' })).toThrow('HOP');
});
