import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import { AppError } from '../../platform/errors/app-error.ts';
import { errorMiddleware } from '../../platform/http/error-middleware.ts';
import { requestIdMiddleware } from '../../platform/http/request-scope.ts';
import { invoiceFile } from './collaborators/safegold/invoice-file.ts';
import { controlRouter } from './controls/control-router.ts';
import { collaboratorRouter } from './core/collaborator-router.ts';
import { pageHandler } from './page/page.ts';
import { sandboxDefaults, type SandboxOptions } from './sandbox-options.ts';
import { objectServer } from './objects/object-server.ts';
import { createSandboxParts, type SandboxParts } from './sandbox-parts.ts';
import { createStateFile, type StateFile } from './state/state-file.ts';

interface AppOptions {
  readonly parts: SandboxParts;
  readonly logger: SandboxOptions['logger'];
  readonly stateDir: SandboxOptions['stateDir'];
  /** True once the process is stopping. */
  readonly isDraining: () => boolean;
}

const probe =
  (isUp: () => boolean): RequestHandler =>
  (_req, res) => {
    res.status(isUp() ? 200 : 503).json({ status: isUp() ? 'ok' : 'draining' });
  };

/** Serves the collaborators, the controls, the page for people and the probes. */
const createSandboxApp = ({ parts, logger, stateDir, isDraining }: AppOptions): Express => {
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
  app.use('/s3', objectServer(stateDir));
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

export interface Sandbox {
  /** The address, such as `http://127.0.0.1:4010`, without a slash at the end. */
  readonly url: string;
  /**
   * Changes the service's address, to which webhooks are sent. It is for a service that is started
   * after its sandbox.
   */
  setCustomerBaseUrl(url: string): void;
  /** Stops accepting calls, ends the waiting calls and saves the state. */
  stop(): Promise<void>;
}

interface StartOptions extends Partial<SandboxOptions> {
  /** The port to listen on. 0 takes a free port. */
  readonly port?: number;
  readonly host?: string;
}

/** The time that calls in progress have once the sandbox is stopping. */
const graceMs = 2000;
const keepAliveMs = 65_000;

const listen = async (server: Server, port: number, host: string): Promise<string> => {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${address.port}`;
};

const close = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
};

/** Starts a sandbox. `sandboxDefaults` has the defaults of the options. */
export const startSandbox = async (startOptions: StartOptions = {}): Promise<Sandbox> => {
  const { port = 0, host = '127.0.0.1', ...chosen } = startOptions;
  const options: SandboxOptions = { ...sandboxDefaults, ...chosen };
  const { stateDir, logger } = options;
  let file: StateFile | undefined;
  let isDraining = false;
  const parts = createSandboxParts(options, () => file?.changed());

  if (stateDir !== undefined) {
    file = createStateFile({
      dir: stateDir,
      parts,
      onError: (error) => logger.error({ err: error }, 'the state could not be saved'),
    });
    file.load();
  }

  const app = createSandboxApp({ parts, logger, stateDir, isDraining: () => isDraining });
  const server = createServer(app);
  server.keepAliveTimeout = keepAliveMs;
  const url = await listen(server, port, host);
  return {
    url,
    setCustomerBaseUrl(target) {
      parts.target.url = target;
    },
    async stop() {
      if (isDraining) return;
      isDraining = true;
      parts.backgroundWork.end();
      await close(server);
      file?.close();
    },
  };
};
