import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import type { Random } from '../../../platform/ids/random.ts';

/** The page's fixed parts. The script fills the lists. */
const pageBody = `
<header>
  <div class="brand"><span class="coin"></span><h1>Sandbox</h1>
    <p>Every outside party of the gold service, on this machine.</p></div>
  <div class="figures">
    <div class="figure"><span>Clock</span><strong id="clock-now">…</strong>
      <em id="clock-offset"></em></div>
    <div class="figure"><span>Buy, per gram</span><strong id="price-buy">…</strong>
      <em id="price-mode"></em></div>
    <div class="figure"><span>Sell, per gram</span><strong id="price-sell">…</strong>
      <em id="price-spot"></em></div>
    <div class="figure live"><span>Page</span><strong id="live">connecting</strong>
      <em>every 2 seconds</em></div>
  </div>
</header>
<p id="problem" role="alert" hidden></p>
<main>
  <section class="wide"><h2>Open checkouts</h2><div id="checkouts"></div></section>
  <section class="wide"><h2>Messages</h2><div id="messages"></div></section>
  <section><h2>Clock</h2>
    <div class="buttons" id="clock-buttons"></div>
    <form id="clock-form"><label>Set to <input name="set" type="datetime-local" step="1"></label>
      <button>Set</button></form>
    <h2>Price</h2>
    <form id="price-form">
      <label>Buy, INR <input name="buy" inputmode="decimal" placeholder="12345.67"></label>
      <label>Sell, INR <input name="sell" inputmode="decimal" placeholder="11975.29"></label>
      <button>Fix</button><button type="button" id="price-follow">Let it move</button>
    </form>
  </section>
  <section class="broad"><h2>Faults</h2>
    <form id="fault-form">
      <label>Party <select name="collaborator"></select></label>
      <label>Operation <select name="operation"></select></label>
      <label>Fault <select name="fault"></select></label>
      <label>Times <input name="times" type="number" min="1" value="1"></label>
      <label>Status <input name="status" type="number" min="200" max="599" placeholder="500"></label>
      <label>Delay, ms <input name="delayMs" type="number" min="0" placeholder="default"></label>
      <button>Add</button><button type="button" id="faults-clear">Clear all</button>
    </form>
    <div id="faults"></div></section>
  <section class="wide"><h2>Payouts</h2><div id="payouts"></div></section>
  <section class="wide"><h2>Bank account validations</h2><div id="validations"></div></section>
  <section class="full"><h2>Provider transactions</h2><div id="transactions"></div></section>
  <section class="wide"><h2>CI runs</h2><div id="runs"></div></section>
  <section class="wide"><h2>Webhooks sent</h2><div id="webhooks"></div></section>
  <section class="full"><h2>Journal <small>newest first; the whole of it is
    <a href="/_control/journal">/_control/journal</a></small></h2><div id="journal"></div></section>
</main>
`;

/** Reads a file of this folder. The build copies these files next to the bundle. */
const readAsset = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const pageStyle = readAsset('sandbox-page.css');
const pageScript = readAsset('sandbox-page.js');

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
${pageBody}
<script nonce="${nonce}">${pageScript}</script>
</body>
</html>
`;

/** Serves the page for people. The page needs no other host, and its policy allows none. */
export const pageHandler =
  (random: Random): RequestHandler =>
  (_req, res) => {
    const nonce = random.bytes(16).toString('base64');
    res.set({
      'content-security-policy':
        `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    res.type('html').send(page(nonce));
  };
