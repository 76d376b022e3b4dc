import express, { type Express, type RequestHandler } from 'express';
import { AppError } from '../../platform/errors/app-error.ts';
import { errorMiddleware } from '../../platform/http/error-middleware.ts';
import { requestIdMiddleware } from '../../platform/http/request-scope.ts';
import { invoiceFile } from './collaborators/safegold/invoice-file.ts';
import { controlRouter } from './controls/control-router.ts';
import { collaboratorRouter } from './core/collaborator-router.ts';
import { pageHandler } from './page/page.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SandboxParts } from './sandbox-parts.ts';

interface AppOptions {
  readonly parts: SandboxParts;
  readonly logger: SandboxOptions['logger'];
  /** True once the process is stopping. */
  readonly isDraining: () => boolean;
}

const probe =
  (isUp: () => boolean): RequestHandler =>
  (_req, res) => {
    res.status(isUp() ? 200 : 503).json({ status: isUp() ? 'ok' : 'draining' });
  };

/** Serves the collaborators, the controls, the page for people and the probes. */
export const createSandboxApp = ({ parts, logger, isDraining }: AppOptions): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestIdMiddleware(parts.random));
  app.get(
    '/healthz',
    probe(() => true),
  );
  app.get(
    '/readyz',
    probe(() => !isDraining()),
  );
  app.get('/', pageHandler(parts.random));
  app.get('/safegold/invoices/:name', invoiceFile(parts.safegoldStore));
  for (const collaborator of parts.collaborators) {
    app.use(collaborator.mountPath, collaboratorRouter(collaborator, parts));
  }
  app.use('/_control', controlRouter(parts));
  app.use(() => {
    throw new AppError('NOT_FOUND');
  });
  app.use(errorMiddleware(logger));
  return app;
};
