import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import type { Random } from '../../../platform/ids/random.ts';
import { pageBody } from './page-body.ts';

/** Reads a file that stands beside this one, and beside the bundle (build.ts copies it). */
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

/** Serves the page for people, which needs no other host; its policy allows none. */
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
