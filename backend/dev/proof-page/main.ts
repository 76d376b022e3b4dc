import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

/*
 * Tries the page that verifies proofs of gold in a real browser, against the customer API of a
 * running stack: `CUSTOMER_URL=http://127.0.0.1:4000 npm run proof-page`. `BROWSER` is the
 * path of the program, `/usr/bin/chromium` unless it is given.
 */

const url = process.env['CUSTOMER_URL'] ?? 'http://127.0.0.1:4000';
const program = process.env['BROWSER'] ?? '/usr/bin/chromium';
const samples = join(import.meta.dirname, '../../../cli/test/samples');
const timeout = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Puts a text into the page, lets it check, and waits for its verdict. */
const check = async (page: Page, text: string, verdict: string): Promise<void> => {
  await page.fill('#proof', text);
  await page.click('#check');
  await page.locator('#title', { hasText: verdict }).waitFor();
  say(`ok: ${verdict}`);
};

const browser = await chromium.launch({ executablePath: program, timeout });
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(timeout);
  await page.goto(`${url}/v1/public/proof-of-gold/verify`);
  const proof = readFileSync(join(samples, 'proof.json'), 'utf8');
  await check(page, proof, 'Proven: your gold is in the total');
  await check(page, proof.replace('"0.00020000"', '"0.00020001"'), 'Not proven');
  const statement = readFileSync(join(samples, 'statement.json'), 'utf8');
  await check(page, statement, 'The signature is good');
  const isSent = await page.evaluate(`fetch('/v1/health').then(() => true, () => false)`);
  if (isSent !== false) throw new Error('the page can send requests');
  say('ok: the page can send nothing');
  say('1 passed, 0 failed');
} finally {
  await browser.close();
}
