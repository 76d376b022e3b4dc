import type { RequestHandler } from 'express';
import {
  context,
  INVALID_TRACEID,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { clientLeftStatus } from './client-left-status.ts';
import { continuing, tracer } from './tracing.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** The trace of the request, if traces are made. */
    traceId?: string;
  }
}

/**
 * Opens the span of each request, which continues the trace of a `traceparent`. It has the method,
 * the route and the status, and no client data. The instrumentation of node:http does the same, but
 * binds a context to each request and response, even if it is not recorded. Here, a request that is
 * not recorded and whose path is in `atHand` costs nothing. Such a request makes no calls, so
 * nothing would continue its trace.
 */
export const traceRequests =
  (atHand: ReadonlySet<string>): RequestHandler =>
  (req, res, next) => {
    const { method } = req;
    const { traceparent } = req.headers;
    const parent = typeof traceparent === 'string' ? continuing(traceparent) : ROOT_CONTEXT;
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    const { traceId } = span.spanContext();
    const isRecorded = span.isRecording();
    if (traceId !== INVALID_TRACEID) req.traceId = traceId;
    if (!isRecorded && (traceId === INVALID_TRACEID || atHand.has(req.path))) {
      next();
      return;
    }
    if (isRecorded) {
      span.setAttributes({ 'http.request.method': method, 'url.scheme': req.protocol });
      res.on('close', () => {
        const status = res.writableFinished ? res.statusCode : clientLeftStatus;
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
    }
    context.with(trace.setSpan(parent, span), next);
  };
