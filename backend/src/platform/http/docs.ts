import { Router } from 'express';
import swaggerUi from 'swagger-ui-express';

/** `/docs` (a page that needs no other host) and `/docs/openapi.json`. */
export const docsRouter = (document: object): Router => {
  const router = Router();
  router.get('/docs/openapi.json', (_req, res) => {
    res.json(document);
  });
  router.use('/docs', swaggerUi.serve, swaggerUi.setup(document));
  return router;
};
