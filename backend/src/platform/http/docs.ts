import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router, type RequestHandler } from 'express';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

const onlyGet: RequestHandler = () => {
  throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

/**
 * The page may only load from and connect to this host. It may run no inline script and appear in
 * no frame.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The style sheet contains its images as data URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  validatorUrl: null,
});
`;

/** The package's files that the page names. The package itself is never loaded. */
const packageFiles: ReadonlySet<string> = new Set([
  '/favicon-32x32.png',
  '/swagger-ui-bundle.js',
  '/swagger-ui.css',
]);

/**
 * Creates the handler that serves these files. They contain no personal data, so browsers may cache
 * them.
 */
const servePackageFiles = (): RequestHandler => {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve('swagger-ui-dist/package.json');
  const serve = express.static(dirname(manifest), { index: false });
  return (req, res, next) => {
    if (!packageFiles.has(req.path)) throw new AppError('NOT_FOUND');
    res.removeHeader('cache-control');
    serve(req, res, next);
  };
};

/**
 * Serves `GET /docs` (a page that needs no other host), its files and `GET /docs/openapi.json`. Any
 * other path below `/docs` is 404. The rate limit applies to all of them. The document is made at
 * the first request for it, because that takes longer than the whole rest of a process's start.
 */
export const docsRouter = (makeDocument: () => object, rateLimit: RequestHandler): Router => {
  let document: object | undefined;
  const router = Router();
  router.get('/docs', rateLimit, (_req, res) => {
    res.setHeader('content-security-policy', pagePolicy);
    res.type('html').send(page);
  });
  router.get('/docs/openapi.json', rateLimit, (_req, res) => {
    document ??= makeDocument();
    res.setHeader('content-disposition', jsonDisposition);
    res.json(document);
  });
  router.all(['/docs', '/docs/openapi.json'], rateLimit, onlyGet);
  router.get('/docs/start.js', rateLimit, (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=0');
    res.type('js').send(start);
  });
  router.use('/docs', rateLimit, servePackageFiles());
  return router;
};
