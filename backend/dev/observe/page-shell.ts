import { readFileSync } from 'node:fs';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Returns a text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/gu, (sign) => entities[sign] ?? sign);

const style = readFileSync(new URL('observe.css', import.meta.url), 'utf8');

const links: readonly (readonly [path: string, title: string])[] = [
  ['/', 'Dashboards'],
  ['/alerts', 'Alerts'],
  ['/traces', 'Traces'],
];

/** Returns a page with the links that all of them have. */
export const pageOf = (title: string, body: string, script = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/uplot.css">
<style>${style}</style>
</head>
<body>
<nav>${links.map(([path, text]) => `<a href="${path}">${text}</a>`).join('')}</nav>
<h1>${escaped(title)}</h1>
${body}
${script}
</body>
</html>
`;
