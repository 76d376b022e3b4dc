import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { escaped, pageOf } from './page-shell.ts';
import type { Queries } from './prometheus.ts';

const dashboardSchema = z.object({
  title: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      fieldConfig: z.object({ defaults: z.object({ unit: z.string().optional() }) }).optional(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string().default('') })),
    }),
  ),
});

type Dashboard = z.output<typeof dashboardSchema>;

/** Reads the chart's dashboards by the names of their files. */
export const readDashboards = (folder: string): ReadonlyMap<string, Dashboard> =>
  new Map(
    readdirSync(folder).map((file) => [
      file.replace(/\.json$/u, ''),
      dashboardSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
    ]),
  );

const script = '<script src="/uplot.js"></script><script src="/draw-panels.js"></script>';

const minutesForms = [5, 15, 60, 360];

/** Returns the page of a dashboard, whose panels the page's script draws. */
export const dashboardPage = (name: string, { title, panels }: Dashboard, minutes: number) => {
  const drawn = panels.map(
    (panel, index) =>
      `<section><h2>${escaped(panel.title)}</h2>
      <div class="panel" data-panel="/panels/${name}/${index}?minutes=${minutes}"></div></section>`,
  );
  const ranges = minutesForms.map(
    (range) =>
      `<a href="?minutes=${range}"${range === minutes ? ' class="at"' : ''}>${range} min</a>`,
  );
  return pageOf(
    title,
    `<p class="ranges">${ranges.join('')}</p><main>${drawn.join('')}</main>`,
    script,
  );
};

/** Returns the page that lists the dashboards. */
export const dashboardsPage = (dashboards: ReadonlyMap<string, Dashboard>): string => {
  const items = [...dashboards].map(
    ([name, { title, panels }]) =>
      `<li><a href="/dashboards/${name}">${escaped(title)}</a>, ${panels.length} panels</li>`,
  );
  return pageOf('Dashboards', `<ul>${items.join('')}</ul>`);
};

const points = 120;

const labelOf = (format: string, labels: Readonly<Record<string, string>>): string =>
  format === ''
    ? Object.values(labels).join(' ')
    : format.replaceAll(/\{\{\s*(\w+)\s*\}\}/gu, (_, name: string) => labels[name] ?? '');

/** Returns the data of a panel for the last minutes, of all namespaces. */
export const panelData = async (
  queries: Queries,
  panel: Dashboard['panels'][number],
  minutes: number,
) => {
  const step = Math.max(1, Math.round((minutes * 60) / points));
  const end = Math.floor(Date.now() / 1000 / step) * step;
  const moments = Array.from({ length: points + 1 }, (_, index) => end - (points - index) * step);
  const found = await Promise.all(
    panel.targets.map(async ({ expr, legendFormat }) => {
      const series = await queries.range(expr.replaceAll('$namespace', '.*'), moments);
      return series.map(({ labels, values }) => ({ label: labelOf(legendFormat, labels), values }));
    }),
  );
  return { unit: panel.fieldConfig?.defaults.unit ?? 'none', moments, series: found.flat() };
};
