import { Router, type RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

const onlyGet: RequestHandler = () => {
  throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: 'GET, HEAD' } });
};

/**
 * `GET /docs` (a page that needs no other host) and `GET /docs/openapi.json`. What is below
 * `/docs` and no file of the page is nothing: the next handler answers it.
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
  router.use('/docs', ...swaggerUi.serveFiles(document));
  return router;
};
