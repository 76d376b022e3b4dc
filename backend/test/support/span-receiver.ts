import { once } from 'node:events';
import http from 'node:http';
import { z } from 'zod';

const spanSchema = z.object({
  traceId: z.string(),
  name: z.string(),
  kind: z.int(),
  attributes: z.array(z.object({ key: z.string(), value: z.json() })),
  events: z.json(),
  status: z.json(),
});
export type Span = z.infer<typeof spanSchema>;

const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })) }),
  ),
});

const spansOf = (body: string): Span[] =>
  exportSchema
    .parse(JSON.parse(body))
    .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));

/** Starts a receiver of OTLP over HTTP that keeps every span. */
export const startSpanReceiver = async () => {
  const bodies: string[] = [];
  const server = http.createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    req.on('end', () => {
      bodies.push(body);
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.keepAliveTimeout = 75_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    spans: (): Span[] => bodies.flatMap(spansOf),
    close: () => void server.close(),
  };
};
