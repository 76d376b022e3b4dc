import { Router, type RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

const onlyGet: RequestHandler = () => {
  throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

/** The page's own files hold nothing of anybody: browsers keep them and ask whether they changed. */
const mayBeKept: RequestHandler = (_req, res, next) => {
  res.removeHeader('cache-control');
  next();
};

const nothingElse: RequestHandler = (_req, res) => {
  res.setHeader('cache-control', 'no-store');
  throw new AppError('NOT_FOUND');
};

/**
 * `GET /docs` (a page that needs no other host), its files and `GET /docs/openapi.json`; anything
 * else below `/docs` is 404. Each is within the rate limit.
 */
export const docsRouter = (document: object, rateLimit: RequestHandler): Router => {
  const router = Router();
  // The page names its files relative to itself, and it is served without a slash at its end.
  const page = swaggerUi.generateHTML(document).replaceAll(/(href|src)="\.\//gu, '$1="/docs/');
  router.get('/docs', rateLimit, (_req, res) => {
    res.type('html').send(page);
  });
  router.get('/docs/openapi.json', rateLimit, (_req, res) => {
    res.setHeader('content-disposition', jsonDisposition);
    res.json(document);
  });
  router.all(['/docs', '/docs/openapi.json'], rateLimit, onlyGet);
  router.use('/docs', rateLimit, mayBeKept, ...swaggerUi.serveFiles(document), nothingElse);
  return router;
};
