import { chromium, type Page } from 'playwright-core';

/*
 * Tries the page in a real browser against a local stack: signs in, sees the price, buys and pays,
 * and lets two tabs refresh one session at the same moment.
 */

const url = process.env['PAGE_URL'] ?? 'http://127.0.0.1:4080';
const program = process.env['BROWSER'] ?? '/usr/bin/chromium';
const picture = process.env['PICTURE'];
const timeout = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Waits until an element shows a text. Fails with the problem that the page shows. */
const shows = async (page: Page, what: string, id: string, text: string): Promise<void> => {
  try {
    await page.locator(`#${id}`, { hasText: text }).waitFor();
  } catch (cause) {
    throw new Error(`${what}: ${await page.textContent('#problem')}`, { cause });
  }
  say(`ok: ${what}`);
};

const buy = async (page: Page): Promise<void> => {
  await shows(page, 'the live price is shown', 'price', 'a gram');
  await page.fill('#phone', `+919${String(Date.now()).slice(-9)}`);
  await page.click('#send-code');
  await page.waitForFunction(`document.getElementById('code').value.length === 6`);
  say('ok: a code came');
  await page.click('#verify');
  await shows(page, 'signed in', 'standing', 'KYC');
  await page.click('#approve');
  await shows(page, 'KYC approved', 'standing', 'KYC APPROVED');
  await page.fill('#rupees', '1000.50');
  await page.click('#buy');
  await shows(page, 'ordered', 'order', 'PENDING');
  await page.click('#pay');
  await shows(page, 'paid and allocated', 'order', 'ALLOCATED');
};

/** Spoils the access token, so that the next call of each tab has to refresh. */
const expire = `{
  const held = JSON.parse(localStorage.getItem('digital-gold-session'));
  held.accessToken = held.accessToken.slice(0, -4) + 'AAAA';
  localStorage.setItem('digital-gold-session', JSON.stringify(held));
}`;
const refreshOf = `JSON.parse(localStorage.getItem('digital-gold-session'))?.refreshToken`;

const refreshTogether = async (first: Page, second: Page): Promise<void> => {
  for (let round = 0; round < 3; round += 1) {
    const before = await first.evaluate(refreshOf);
    await first.evaluate(expire);
    const clear = `document.getElementById('standing').textContent = ''`;
    await Promise.all([first, second].map((page) => page.evaluate(clear)));
    // An event that both pages answer by three calls at once.
    const render = `void dispatchEvent(new Event('storage'))`;
    await Promise.all([first, second].map((page) => page.evaluate(render)));
    for (const page of [first, second]) {
      await shows(page, 'a tab goes on', 'standing', 'KYC APPROVED');
    }
    const after = await first.evaluate(refreshOf);
    if (typeof after !== 'string' || after === before) throw new Error('nobody has refreshed');
  }
  say('ok: two tabs refreshed one session three times, and both are signed in');
};

const browser = await chromium.launch({ executablePath: program, timeout });
try {
  const context = await browser.newContext();
  context.setDefaultTimeout(timeout);
  const first = await context.newPage();
  await first.goto(url);
  await buy(first);
  const second = await context.newPage();
  await second.goto(url);
  await shows(second, 'the second tab is signed in', 'standing', 'APPROVED');
  await refreshTogether(first, second);
  if (picture !== undefined) await first.screenshot({ path: picture });
  say('1 passed, 0 failed');
} finally {
  await browser.close();
}
