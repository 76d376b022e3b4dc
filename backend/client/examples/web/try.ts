import { writeFileSync } from 'node:fs';
import { startBrowser, type Tab } from './browser.ts';

/*
 * Tries the page in a real browser against a local stack: signs in, sees the price, buys and pays,
 * and lets two tabs refresh one session at the same moment.
 */

const url = process.env['PAGE_URL'] ?? 'http://127.0.0.1:4080';
const program = process.env['BROWSER'] ?? 'chromium';
const picture = process.env['PICTURE'];
const deadlineMs = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Waits until an expression is true in the page. */
const until = async (tab: Tab, what: string, expression: string): Promise<void> => {
  const end = Date.now() + deadlineMs;
  while ((await tab.evaluate(expression)) !== true) {
    if (Date.now() > end) {
      const text = await tab.evaluate('document.body.innerText');
      throw new Error(`${what}: not in time. The page says: ${String(text)}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  say(`ok: ${what}`);
};

const textOf = (id: string): string => `(document.getElementById('${id}')?.textContent ?? '')`;
const click = (tab: Tab, id: string): Promise<unknown> =>
  tab.evaluate(`document.getElementById('${id}').click()`);
const fill = (tab: Tab, id: string, value: string): Promise<unknown> =>
  tab.evaluate(`document.getElementById('${id}').value = '${value}'`);

const buy = async (tab: Tab): Promise<void> => {
  await until(tab, 'the live price is shown', `${textOf('price')}.includes('a gram')`);
  const phone = `+919${String(Date.now()).slice(-9)}`;
  await fill(tab, 'phone', phone);
  await click(tab, 'send-code');
  await until(tab, 'a code came', `document.getElementById('code').value.length === 6`);
  await click(tab, 'verify');
  await until(tab, 'signed in', `${textOf('standing')}.includes('KYC')`);
  await click(tab, 'approve');
  await until(tab, 'KYC approved', `${textOf('standing')}.includes('KYC APPROVED')`);
  await fill(tab, 'rupees', '1000.50');
  await click(tab, 'buy');
  await until(tab, 'ordered', `${textOf('order')}.includes('PENDING')`);
  await click(tab, 'pay');
  await until(tab, 'paid and allocated', `${textOf('order')}.includes('ALLOCATED')`);
};

/** Spoils the access token, so that the next call of each tab has to refresh. */
const expire = `{
  const held = JSON.parse(localStorage.getItem('digital-gold-session'));
  held.accessToken = held.accessToken.slice(0, -4) + 'AAAA';
  localStorage.setItem('digital-gold-session', JSON.stringify(held));
}`;
const refreshOf = `JSON.parse(localStorage.getItem('digital-gold-session'))?.refreshToken`;

const refreshTogether = async (first: Tab, second: Tab): Promise<void> => {
  for (let round = 0; round < 3; round += 1) {
    const before = await first.evaluate(refreshOf);
    await first.evaluate(expire);
    const standing = `document.getElementById('standing').textContent = ''`;
    await Promise.all([first, second].map((tab) => tab.evaluate(standing)));
    // An event that both pages answer by three calls at once.
    const render = `dispatchEvent(new Event('storage'))`;
    await Promise.all([first, second].map((tab) => tab.evaluate(render)));
    for (const tab of [first, second]) {
      await until(tab, 'a tab goes on', `${textOf('standing')}.includes('KYC APPROVED')`);
    }
    const after = await first.evaluate(refreshOf);
    if (typeof after !== 'string' || after === before) throw new Error('nobody has refreshed');
  }
  say('ok: two tabs refreshed one session three times, and both are signed in');
};

const browser = await startBrowser(program);
try {
  const first = await browser.open(url);
  await buy(first);
  const second = await browser.open(url);
  await until(second, 'the second tab is signed in', `${textOf('standing')}.includes('APPROVED')`);
  await refreshTogether(first, second);
  if (picture !== undefined) {
    writeFileSync(picture, Buffer.from(await first.screenshot(), 'base64'));
  }
  say('1 passed, 0 failed');
} finally {
  browser.close();
}
