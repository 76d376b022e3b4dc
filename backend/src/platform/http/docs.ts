import { Router, type RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

const onlyGet: RequestHandler = () => {
  throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

/**
 * The page's own files hold nothing of anybody: browsers keep them and ask whether they changed.
 */
const mayBeKept: RequestHandler = (_req, res, next) => {
  res.removeHeader('cache-control');
  next();
};

const nothingElse: RequestHandler = (_req, res) => {
  res.setHeader('cache-control', 'no-store');
  throw new AppError('NOT_FOUND');
};

interface MadeDocs {
  readonly document: object;
  readonly page: string;
  readonly files: readonly RequestHandler[];
}

const makeDocs = (document: object): MadeDocs => ({
  document,
  // The page names its files relative to itself, and it is served without a slash at its end.
  page: swaggerUi.generateHTML(document).replaceAll(/(href|src)="\.\//gu, '$1="/docs/'),
  files: swaggerUi.serveFiles(document),
});

/**
 * `GET /docs` (a page that needs no other host), its files and `GET /docs/openapi.json`; anything
 * else below `/docs` is 404. Each is within the rate limit. The document is made at the first
 * request for one of them: it takes longer than all else that a process does at its start.
 */
export const docsRouter = (makeDocument: () => object, rateLimit: RequestHandler): Router => {
  let made: MadeDocs | undefined;
  const docs = (): MadeDocs => (made ??= makeDocs(makeDocument()));
  const files = Router();
  const router = Router();
  router.get('/docs', rateLimit, (_req, res) => {
    res.type('html').send(docs().page);
  });
  router.get('/docs/openapi.json', rateLimit, (_req, res) => {
    res.setHeader('content-disposition', jsonDisposition);
    res.json(docs().document);
  });
  router.all(['/docs', '/docs/openapi.json'], rateLimit, onlyGet);
  router.use('/docs', rateLimit, mayBeKept, (req, res, next) => {
    if (files.stack.length === 0) files.use(...docs().files, nothingElse);
    files(req, res, next);
  });
  return router;
};
