import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { parseJsonBody } from '../../../platform/http/json-body.ts';
import { validateInput } from '../../../platform/http/validate-input.ts';
import { toJsonText } from '../core/wire-json.ts';

/** The response of a control. Its status is 200 by default. */
interface ControlAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/**
 * Creates the handler of a control, whose response is sent as JSON. The error middleware sends its
 * AppError.
 */
export const control =
  (handle: (req: Request) => ControlAnswer): RequestHandler =>
  (req, res) => {
    const { status = 200, body } = handle(req);
    res.status(status).type('application/json').send(toJsonText(body));
  };

const noBytes = Buffer.alloc(0);

/**
 * Reads the JSON body by its schema.
 * @throws AppError MALFORMED_JSON, or VALIDATION_FAILED that names the field
 */
export const controlBody = <S extends z.ZodType>(req: Request, schema: S): z.output<S> => {
  const parsed = parseJsonBody(
    Buffer.isBuffer(req.body) ? req.body : noBytes,
    req.headers['content-type'],
  );
  if ('problem' in parsed) throw parsed.problem;
  const input = { params: {}, query: {}, parsedBody: parsed.value };
  return validateInput({ body: schema }, input).body;
};

/**
 * Reads the query by its schema.
 * @throws AppError VALIDATION_FAILED that names the parameter
 */
export const controlQuery = <S extends z.ZodType>(req: Request, schema: S): z.output<S> =>
  validateInput({ query: schema }, { params: {}, query: req.query, parsedBody: undefined }).query;

/** Reads `?limit=`, the number of newest entries that a list shows (default 100). */
export const countQuery = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,6}$/u)
    .default('100')
    .transform((text) => Number.parseInt(text, 10)),
});
