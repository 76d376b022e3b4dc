import type { IncomingHttpHeaders } from 'node:http';

/** One call to a collaborator, as its handler sees it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined when there was none or it is no JSON. */
  readonly body: unknown;
  /** Where the caller reached the sandbox, such as `http://127.0.0.1:4010`. */
  readonly origin: string;
}

/** What a collaborator answers; without a body the answer is blank. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** An answer with status 200. */
export const okAnswer = (body: unknown): Answer => ({ status: 200, body });

/** The fields of a JSON object; none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // A JSON object's keys are text and its values are whatever JSON holds.
      (value as Record<string, unknown>)
    : {};

/** A field's text, when it is text or a number; trimmed, and undefined when nothing is left. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
};
