import { escaped, pageOf } from './page-shell.ts';
import type { Queries } from './prometheus.ts';

const order = ['firing', 'pending', 'inactive'];

/** Returns the page of the alerts. Firing alerts come first. */
export const alertsPage = async (queries: Queries, runbooks: string): Promise<string> => {
  const alerts = (await queries.alerts()).toSorted(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state),
  );
  const rows = alerts.map(({ name, state, annotations, alerts: active }) => {
    const labelled = active.map(({ labels }) =>
      Object.entries(labels)
        .filter(([key]) => !['alertname', 'namespace', 'severity'].includes(key))
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    );
    const { summary = '', runbook = '' } = annotations;
    return `<tr class="${escaped(state)}"><td>${escaped(state)}</td><td>${escaped(name)}</td>
      <td>${escaped(labelled.join(', '))}</td><td>${escaped(summary)}</td>
      <td><code>${escaped(`${runbooks}/${runbook}`)}</code></td></tr>`;
  });
  return pageOf(
    'Alerts',
    `<table><tr><th>state</th><th>alert</th><th>labels</th><th>summary</th><th>runbook</th></tr>
    ${rows.join('')}</table>`,
  );
};
