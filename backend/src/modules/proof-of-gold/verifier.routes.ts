import { readFileSync } from 'node:fs';
import { defineRoute, PUBLIC, type Route } from '../../platform/http/index.ts';

/** The policy lets the page load only its own files and send nothing. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page, its style, its script, and the program that the script imports and `node` can run. */
const files = [
  { path: 'verify', name: 'verify.html', type: 'text/html; charset=utf-8' },
  { path: 'verify.css', name: 'verify.css', type: 'text/css; charset=utf-8' },
  { path: 'verify-page.mjs', name: 'verify-page.mjs', type: 'text/javascript; charset=utf-8' },
  { path: 'verify.mjs', name: 'verify.mjs', type: 'text/javascript; charset=utf-8' },
] as const;

const summaries: Readonly<Record<(typeof files)[number]['path'], string>> = {
  verify: 'A page that checks a proof of gold in the browser and sends nothing',
  'verify.css': 'The style of the page',
  'verify-page.mjs': 'The script of the page',
  'verify.mjs': 'A program without dependencies that checks a proof: `node verify.mjs proof.json`',
};

/** Reads a file of the verifier's folder. The build copies the files next to the bundle. */
const readAsset = (name: string): Buffer => {
  const isBundled = !import.meta.url.endsWith('.ts');
  return readFileSync(new URL(isBundled ? name : `verifier/${name}`, import.meta.url));
};

/** Declares the files with which a proof can be verified without trust in this service. */
export const createVerifierRoutes = (): Route[] =>
  files.map(({ path, name, type }) => {
    let bytes: Buffer | undefined;
    return defineRoute({
      method: 'GET',
      path: `/public/proof-of-gold/${path}`,
      summary: summaries[path],
      tags: ['public'],
      access: PUBLIC,
      responses: { 200: null },
      produces: [type],
      handler: async () => {
        bytes ??= readAsset(name);
        return {
          status: 200,
          bytes,
          headers: {
            'content-type': type,
            'content-security-policy': pagePolicy,
            'cache-control': 'public, max-age=300',
          },
        };
      },
    });
  });
