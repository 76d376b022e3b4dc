import { Agent, request as send } from 'undici';
import { currentRequestId } from '../http/request-id.ts';
import { done, refused, unknown, type Outcome } from '../outcome/outcome.ts';
import { errorCode, isConnectFailure } from './connect-failure.ts';
import type { HttpClientOptions, HttpRequest, HttpResponse } from './http-client.types.ts';
import { parseLosslessJson, printLosslessJson } from './lossless-json.ts';
import { NOT_SENT, TIMED_OUT } from './transport-refusals.ts';

const defaultMaxResponseBytes = 1_048_576;
const connectTimeoutMs = 3_000;
const connections = 64;
// Below the five seconds after which many servers drop an idle connection: a request written
// into a connection that is just being dropped would be an unknown outcome for nothing.
const keepAliveMs = 2_000;

interface Sender {
  /** One attempt, without retries or breaker. */
  send(request: HttpRequest): Promise<Outcome<HttpResponse>>;
  close(): Promise<void>;
}

const addressOf = (baseUrl: string, { path, query = {} }: HttpRequest): string => {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}${path}${search === '' ? '' : `?${search}`}`;
};

const bodyOf = ({ json, body }: HttpRequest) => {
  if (json !== undefined) {
    return { body: printLosslessJson(json), headers: { 'content-type': 'application/json' } };
  }
  if (body === undefined) return { body: null, headers: {} };
  const { bytes, contentType } = body;
  return {
    body: typeof bytes === 'string' ? bytes : Buffer.from(bytes),
    headers: { 'content-type': contentType },
  };
};

const flatten = (headers: Record<string, string | string[] | undefined>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** A 5xx or 408 says nothing about whether it happened; every other status is an answer. */
const isAnswer = (status: number): boolean => status < 500 && status !== 408;

/** Sends single requests with every limit set. */
export const createSender = (options: HttpClientOptions): Sender => {
  const { baseUrl, timeoutMs, headers: commonHeaders = {} } = options;
  const { requestId = currentRequestId } = options;
  const agent = new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: 16_384,
    maxResponseSize: options.maxResponseBytes ?? defaultMaxResponseBytes,
  });

  const attempt = async (
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<Outcome<HttpResponse>> => {
    const { body, headers } = bodyOf(request);
    const id = requestId();
    const response = await send(addressOf(baseUrl, request), {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...commonHeaders,
        ...(id === undefined ? {} : { 'x-request-id': id }),
        ...request.headers,
      },
      body,
      dispatcher: agent,
      signal,
    });
    const text = await response.body.text();
    if (!isAnswer(response.statusCode)) return unknown(`HTTP_${response.statusCode}`);
    return done({
      status: response.statusCode,
      headers: flatten(response.headers),
      text,
      json: parseLosslessJson(text),
    });
  };

  return {
    async send(request) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await attempt(request, signal);
      } catch (error) {
        const code = errorCode(error);
        if (isConnectFailure(error)) return refused(NOT_SENT, `no connection: ${code}`);
        return unknown(signal.aborted ? TIMED_OUT : code);
      }
    },
    close: () => agent.destroy(),
  };
};
