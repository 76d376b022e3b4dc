import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';

const pageScript = readFileSync(new URL('sandbox-page.js', import.meta.url), 'utf8');

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox();
});
afterAll(() => open.stop());

describe('the page for people', () => {
  it('needs no other host, and its policy allows none', async () => {
    const response = await fetch(`${open.url}/`);
    const html = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/html/u);
    expect(html).not.toMatch(/https?:\/\//u);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    const nonce = /script-src 'nonce-([^']+)'/u.exec(policy)?.[1] ?? 'none';
    expect(html.split(`nonce="${nonce}"`)).toHaveLength(3);
    expect(policy).not.toContain('unsafe');
  });

  it('has a script that parses, and writes no markup', () => {
    expect(new Script(pageScript)).toBeInstanceOf(Script);
    expect(pageScript).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/u);
  });

  it('is fed by one overview', async () => {
    await open.safegold('GET', '/v1/buy-price');
    const { body } = await open.control('GET', '/overview');
    const lists =
      'checkouts faults journal messages payouts runs transactions validations webhooks'.split(' ');
    expect(Object.keys(body)).toEqual(expect.arrayContaining(lists));
    expect(body['journal']).toMatchObject([{ operation: 'buy-price' }]);
  });
});
