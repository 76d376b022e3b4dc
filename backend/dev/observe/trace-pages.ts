import { escaped, pageOf } from './page-shell.ts';
import type { Span, Traces } from './traces.ts';

const ms = (value: number): string =>
  value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`;

const lastsMs = (spans: readonly Span[]): number =>
  Math.max(...spans.map(({ endMs }) => endMs)) - Math.min(...spans.map(({ startMs }) => startMs));

const rowOf = (traceId: string, spans: readonly Span[]): string => {
  const [first] = spans;
  if (first === undefined) return '';
  const services = [...new Set(spans.map(({ service }) => service))].join(', ');
  const failed = spans.filter(({ isFailed }) => isFailed).length;
  return `<tr><td>${new Date(first.startMs).toISOString().slice(11, 23)}</td>
    <td><a href="/traces/${escaped(traceId)}">${escaped(first.name)}</a></td>
    <td>${escaped(services)}</td><td>${spans.length}</td>
    <td>${failed === 0 ? '' : `<b>${failed}</b>`}</td><td>${ms(lastsMs(spans))}</td></tr>`;
};

/** Returns the page of the newest traces whose first span's name contains `part`. */
export const tracesPage = (traces: Traces, part: string): string => {
  const rows = traces
    .ids()
    .map((id) => ({ id, spans: traces.spans(id) }))
    .filter(({ spans }) => (spans[0]?.name ?? '').includes(part))
    .map(({ id, spans }) => rowOf(id, spans));
  const none =
    '<p>No traces yet. Start the stack with <code>make up STACK_TRACES=1</code> to collect them.</p>';
  return pageOf(
    'Traces',
    `<form><label>Begins with <input name="part" value="${escaped(part)}"></label></form>
    ${rows.length === 0 ? none : ''}
    <table><tr><th>start, UTC</th><th>first span</th><th>processes</th><th>spans</th>
    <th>failed</th><th>duration</th></tr>${rows.join('')}</table>`,
  );
};

interface PlacedSpan {
  readonly span: Span;
  readonly depth: number;
}

/** Puts each span below its parent. A span whose parent is unknown is a root. */
const inTree = (spans: readonly Span[]): PlacedSpan[] => {
  const known = new Set(spans.map(({ id }) => id));
  const parentOf = ({ parentId = '' }: Span): string => (known.has(parentId) ? parentId : '');
  const below = (parentId: string, depth: number): PlacedSpan[] =>
    spans.flatMap((span) =>
      parentOf(span) === parentId ? [{ span, depth }, ...below(span.id, depth + 1)] : [],
    );
  return below('', 0);
};

const attributesOf = ({ attributes }: Span): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

const isOfStore = ({ attributes }: Span): boolean => attributes['db.system.name'] !== undefined;

/**
 * Returns the page of a trace. Each span is a line, with its time as a bar. `isShort` leaves
 * statements and commands of Redis out.
 */
export const tracePage = (traces: Traces, traceId: string, isShort: boolean): string => {
  const all = traces.spans(traceId);
  const spans = isShort ? all.filter((span) => !isOfStore(span)) : all;
  const [first] = spans;
  if (first === undefined)
    return pageOf('Trace not found', '<p>Only the newest traces are kept.</p>');
  const whole = Math.max(lastsMs(spans), 0.001);
  const start = first.startMs;
  const percent = (value: number): string => `${((value / whole) * 100).toFixed(3)}%`;
  const rows = inTree(spans).map(({ span, depth }) => {
    const lasts = span.endMs - span.startMs;
    const left = percent(span.startMs - start);
    return `<tr${span.isFailed ? ' class="failed"' : ''}>
      <td style="padding-left:${depth * 14 + 6}px">${escaped(span.name)}</td>
      <td>${escaped(span.service)}</td>
      <td class="number">${ms(span.startMs - start)}</td><td class="number">${ms(lasts)}</td>
      <td class="time"><i class="${escaped(span.service)}"
        style="left:${left};width:${percent(lasts)}"></i></td>
      <td class="more" title="${escaped(attributesOf(span))}">${escaped(attributesOf(span))}</td>
      </tr>`;
  });
  const other = isShort ? ['?', 'with statements'] : ['?short', 'without statements'];
  const processes = new Set(spans.map(({ service }) => service)).size;
  return pageOf(
    first.name,
    `<p>Trace <code>${escaped(traceId)}</code>: ${spans.length} spans in ${processes} processes,
    ${ms(whole)} from the first to the last, <a href="${other[0]}">${other[1]}</a>.</p>
    <table class="trace"><tr><th>span</th><th>process</th><th>start</th><th>duration</th>
    <th class="time"></th><th>attributes</th></tr>${rows.join('')}</table>`,
  );
};
