import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import express, { type Express } from 'express';
import { alertsPage } from './alerts-page.ts';
import { dashboardPage, dashboardsPage, panelData, readDashboards } from './dashboards.ts';
import type { ObserveOptions } from './options.ts';
import { createQueries } from './prometheus.ts';
import { tracePage, tracesPage } from './trace-pages.ts';
import type { Traces } from './traces.ts';

const require = createRequire(import.meta.url);
const fileOf = (path: string | URL): string => readFileSync(path, 'utf8');
const drawPanels = fileOf(new URL('draw-panels.js', import.meta.url));
const uplotScript = fileOf(require.resolve('uplot/dist/uPlot.iife.min.js'));
const uplotStyle = fileOf(require.resolve('uplot/dist/uPlot.min.css'));

type PageOptions = Pick<
  ObserveOptions,
  'dashboardsFolder' | 'runbooksFolder' | 'prometheusPort' | 'pagePort'
>;

/** Returns the minutes of a query, of a few hours at most. */
const minutesOf = (given: unknown): number => {
  const minutes = typeof given === 'string' ? Number(given) : 15;
  return Number.isInteger(minutes) && minutes > 0 && minutes <= 1440 ? minutes : 15;
};

const pageHosts = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u;

/**
 * Answers only requests for names of this machine, since a page elsewhere must not read a trace.
 */
const onlyHere: express.RequestHandler = (req, res, next) => {
  if (pageHosts.test(req.headers.host ?? '')) next();
  else res.status(403).end();
};

/** Creates the app of the pages. */
export const createPages = (options: PageOptions, traces: Traces): Express => {
  const queries = createQueries(`http://127.0.0.1:${options.prometheusPort}`);
  const dashboards = readDashboards(options.dashboardsFolder);
  const app = express();
  app.use(onlyHere);
  app.get('/uplot.js', (_req, res) => void res.type('js').send(uplotScript));
  app.get('/uplot.css', (_req, res) => void res.type('css').send(uplotStyle));
  app.get('/draw-panels.js', (_req, res) => void res.type('js').send(drawPanels));
  app.get('/', (_req, res) => void res.type('html').send(dashboardsPage(dashboards)));
  app.get('/dashboards/:name', (req, res) => {
    const dashboard = dashboards.get(req.params.name);
    if (dashboard === undefined) res.status(404).end();
    else {
      const minutes = minutesOf(req.query['minutes']);
      res.type('html').send(dashboardPage(req.params.name, dashboard, minutes));
    }
  });
  app.get('/panels/:name/:index', async (req, res) => {
    const panel = dashboards.get(req.params.name)?.panels[Number(req.params.index)];
    if (panel === undefined) res.status(404).end();
    else res.json(await panelData(queries, panel, minutesOf(req.query['minutes'])));
  });
  app.get('/alerts', async (_req, res) => {
    res.type('html').send(await alertsPage(queries, options.runbooksFolder));
  });
  app.get('/traces', (req, res) => {
    const { part } = req.query;
    res.type('html').send(tracesPage(traces, typeof part === 'string' ? part : ''));
  });
  app.get('/traces/:id', (req, res) => {
    const isShort = req.query['short'] !== undefined;
    res.type('html').send(tracePage(traces, req.params.id, isShort));
  });
  return app;
};

/** Creates the receiver of OTLP over HTTP in JSON, as the service's processes send it. */
export const createReceiver = (traces: Traces): Express => {
  const app = express();
  app.use(express.text({ type: 'application/json', limit: '8mb' }));
  app.post('/v1/traces', (req, res) => {
    traces.take(String(req.body));
    res.json({});
  });
  return app;
};
