import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser, type Tab } from '../../client/examples/web/browser.ts';

/*
 * Tries the page that verifies proofs of gold in a real browser, against the customer API of a
 * running stack: `CUSTOMER_URL=http://127.0.0.1:4000 npm run proof-page`. `BROWSER` names the
 * program, and is `chromium` unless it is given.
 */

const url = process.env['CUSTOMER_URL'] ?? 'http://127.0.0.1:4000';
const program = process.env['BROWSER'] ?? 'chromium';
const sample = join(import.meta.dirname, '../../../cli/test/samples/proof.json');
const deadlineMs = 20_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const until = async (tab: Tab, what: string, expression: string): Promise<void> => {
  const end = performance.now() + deadlineMs;
  while ((await tab.evaluate(expression)) !== true) {
    if (performance.now() > end) {
      const text = await tab.evaluate('document.body.innerText');
      throw new Error(`${what}: not in time. The page says: ${String(text)}`);
    }
  }
  say(`ok: ${what}`);
};

/** Puts a text into the page, lets it check, and waits for its verdict. */
const check = async (tab: Tab, text: string, title: string): Promise<void> => {
  await tab.evaluate(`document.getElementById('proof').value = ${JSON.stringify(text)}`);
  await tab.evaluate(`document.getElementById('check').click()`);
  const shown = `document.getElementById('title').textContent`;
  await until(tab, title, `${shown} === ${JSON.stringify(title)}`);
};

const browser = await startBrowser(program);
try {
  const tab = await browser.open(`${url}/v1/public/proof-of-gold/verify`);
  await until(
    tab,
    'the page is there',
    `document.readyState === 'complete' && document.getElementById('proof') !== null`,
  );
  const proof = readFileSync(sample, 'utf8');
  await check(tab, proof, 'Proven: your gold is in the total');
  await check(tab, proof.replace('"0.00020000"', '"0.00020001"'), 'Not proven');
  await check(
    tab,
    readFileSync(sample.replace('proof.', 'statement.'), 'utf8'),
    'The signature is good',
  );
  const sent = `fetch('/v1/health').then(() => true, () => false)`;
  await until(tab, 'the page can send nothing', `${sent}.then((isSent) => !isSent)`);
  say('1 passed, 0 failed');
} finally {
  browser.close();
}
