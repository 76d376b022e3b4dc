import type { z } from 'zod';
import { AppError, type FieldIssue } from '../errors/app-error.ts';
import { parseWithoutNulls } from './absent-nulls.ts';

interface Schemas<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params?: P | undefined;
  readonly query?: Q | undefined;
  readonly body?: B | undefined;
}

interface UnvalidatedBody {
  readonly parsedBody: unknown;
  /** True if its texts certainly contain no character that can't be stored. */
  readonly isPlainBody?: boolean;
}

interface Unvalidated extends UnvalidatedBody {
  readonly params: unknown;
  readonly query: unknown;
}

/** Reports a missing field as "is required", instead of the schema library's text about types. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
    ? 'is required'
    : issue.message;

const issuesOf = (error: z.ZodError, root: string): FieldIssue[] =>
  error.issues.map((issue) => ({
    field: issue.path.length === 0 ? root : issue.path.map(String).join('.'),
    message: messageOf(issue),
  }));

/**
 * Matches a NUL character, which no text column accepts, or half of a surrogate pair, which `jsonb`
 * does not accept.
 */
const unstorable = /[\0\p{Cs}]/u;

const unstorableMessage = 'must not contain a NUL character or half of a surrogate pair';

/** An object or array that is being walked, with the index of its next child. */
interface Frame {
  readonly children: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  next: number;
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Returns the first text of an input, among its values and keys, that PostgreSQL can't store. The
 * walk holds one frame for each depth, so that nesting does not exhaust the stack.
 */
const findUnstorable = (root: unknown): FieldIssue | undefined => {
  const frames: Frame[] = [];
  const problem = (): FieldIssue => ({
    field: frames.map(({ keys, next }) => keys[next - 1] ?? '').join('.'),
    message: unstorableMessage,
  });
  const visit = (value: unknown): FieldIssue | undefined => {
    if (typeof value === 'string' && unstorable.test(value)) return problem();
    if (isContainer(value)) frames.push({ children: value, keys: Object.keys(value), next: 0 });
    return undefined;
  };
  let found = visit(root);
  for (let top = frames.at(-1); found === undefined && top !== undefined; top = frames.at(-1)) {
    const key = top.keys[top.next];
    if (key === undefined) {
      frames.pop();
    } else if (unstorable.test(key)) {
      frames.pop();
      found = problem();
    } else {
      top.next += 1;
      found = visit(top.children[key]);
    }
  }
  return found;
};

interface Checked {
  readonly value: unknown;
  readonly issues: FieldIssue[];
}

const check = (schema: z.ZodType, value: unknown, root: string): Checked => {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { value: parsed.data, issues: [] }
    : { value: undefined, issues: issuesOf(parsed.error, root) };
};

const unchecked: Checked = { value: undefined, issues: [] };

/** Checks the texts of a path or query. */
const checkTexts = (schema: z.ZodType | undefined, value: unknown, root: string): Checked => {
  if (schema === undefined) return unchecked;
  const problem = findUnstorable(value);
  if (problem === undefined) return check(schema, value, root);
  return { value: undefined, issues: [{ ...problem, field: problem.field || root }] };
};

/** Checks a body, in which null means the same as an absent member. */
const checkJson = (
  schema: z.ZodType | undefined,
  { parsedBody, isPlainBody = false }: UnvalidatedBody,
): Checked => {
  if (schema === undefined) return unchecked;
  const value = parsedBody === undefined ? {} : parsedBody;
  const problem = isPlainBody ? undefined : findUnstorable(value);
  if (problem !== undefined) {
    return { value: undefined, issues: [{ ...problem, field: problem.field || 'body' }] };
  }
  const parsed = parseWithoutNulls(schema, value);
  return parsed.success
    ? { value: parsed.data, issues: [] }
    : { value: undefined, issues: issuesOf(parsed.error, 'body') };
};

/** Returns the error that names the first invalid field and lists all of them. */
export const validationError = (issues: readonly FieldIssue[]): AppError => {
  const [first] = issues;
  return new AppError('VALIDATION_FAILED', {
    details: issues,
    ...(first !== undefined && { field: first.field, message: `${first.field}: ${first.message}` }),
  });
};

/**
 * Parses a body. Returns the refusal instead of throwing it, because a gate may come before it.
 */
export const checkBody = <B extends z.ZodType>(
  schema: B,
  input: UnvalidatedBody,
): { readonly body: z.output<B> } | AppError => {
  const { value, issues } = checkJson(schema, input);
  // The value was parsed by the schema of its type.
  return issues.length > 0 ? validationError(issues) : { body: value as z.output<B> };
};

/**
 * Parses params, query and body. A malformed id in a path is a resource that does not exist.
 * @throws AppError NOT_FOUND for params, VALIDATION_FAILED for query and body together.
 */
export const validateInput = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  schemas: Schemas<P, Q, B>,
  input: Unvalidated,
): { params: z.output<P>; query: z.output<Q>; body: z.output<B> } => {
  const params = checkTexts(schemas.params, input.params, 'path');
  if (params.issues.length > 0) throw new AppError('NOT_FOUND');
  const query = checkTexts(schemas.query, input.query, 'query');
  const body = checkJson(schemas.body, input);
  const issues = [...query.issues, ...body.issues];
  if (issues.length > 0) throw validationError(issues);
  // Each value was parsed by the schema of its type. Without a schema, the handler reads no value.
  return {
    params: params.value as z.output<P>,
    query: query.value as z.output<Q>,
    body: body.value as z.output<B>,
  };
};
