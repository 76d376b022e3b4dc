import { join, resolve } from 'node:path';
import { readEndpoints } from '../demo/read-endpoints.ts';
import { runCommand } from '../stack/run-command.ts';
import { readStackOptions } from '../stack/stack-options.ts';
import { findFuzzer } from './find-fuzzer.ts';
import { prepareCallers, refusalOf } from './prepare-callers.ts';

/**
 * `make fuzz`: sends requests that a public fuzzer makes up from the OpenAPI documents to the three
 * APIs of the fuzzer's own stack, with a token and without. No request may hang, or get a 5xx or an
 * answer that the document does not allow. Some bodies are compressed, in other charsets, or have
 * null for absent fields.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const { stdout } = process;
const say = (text: string): void => void stdout.write(`${text}\n`);

/** The number of tries of each operation. */
const examples = process.env['FUZZ_EXAMPLES'] ?? '60';

/** The seed that reproduces the same requests. Without it, they differ each time. */
const seed = process.env['FUZZ_SEED'] ?? '';

/**
 * All checks of single answers except two. A rule of business may refuse what the document's types
 * allow (`positive_data_acceptance`), and the fuzzer's own token replaces a header that it left out
 * (`missing_required_header`, which `ignored_auth` tries).
 */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
  // Of hooks.py: bodies in other bytes, and with nulls.
  'altered_body',
];

/** Contracts that are not available yet answer 501 on purpose. */
const unavailable = `/(?:${[
  'portfolio/statement',
  'notifications/preferences',
  'kyc/aadhaar-otp(?:/verify)?',
  'orders/[^/]+/(?:reconcile|refund)',
  'price/override',
  'reports/(?:daily-transactions|gst|tds|provider-reconciliation)',
].join('|')})$`;

/** Ends the session of the portal user whom the other routes are called as. */
const endsSession = 'accounting/auth/logout$';

interface Target {
  readonly name: string;
  /** The origin of the API. */
  readonly url: string;
  /** The file or address of its document. */
  readonly document: string;
  /** The header that says who calls. */
  readonly header?: string;
  /** The id of the portal user who calls. */
  readonly callerId?: string;
  /** Paths that are left out, as a regular expression. */
  readonly without: string;
}

/** Runs the fuzzer against an API as one caller. Returns false if it found something. */
const fuzz = async (fuzzer: string, target: Target): Promise<boolean> => {
  const { name, url, document, header, callerId = '', without } = target;
  const args = [
    'run',
    document,
    `--url=${url}`,
    '--phases=examples,coverage,fuzzing',
    `--checks=${checks.join(',')}`,
    `--max-examples=${examples}`,
    `--exclude-path-regex=${without}`,
    '--max-response-time=15',
    '--request-timeout=30',
    '--continue-on-failure',
    '--warnings=off',
    '--no-color',
    ...(seed === '' ? [] : [`--seed=${seed}`]),
    ...(header === undefined ? [] : ['--header', header]),
  ];
  const { code, output } = await runCommand(fuzzer, args, {
    cwd: join(repository, '.tools'),
    env: {
      ...process.env,
      PYTHONPATH: import.meta.dirname,
      SCHEMATHESIS_HOOKS: 'hooks',
      FUZZ_CALLER_ID: callerId,
    },
  });
  const sent = /(\d[\d,]*) generated/u.exec(output)?.[1] ?? 'no';
  say(
    `${name.padEnd(32)} ${sent} requests, ${code === 0 ? 'every answer as documented' : 'FAILED'}`,
  );
  if (code !== 0) say(output);
  return code === 0;
};

/** The document of the API that serves none, as `make generate` writes it. */
const accountingDocument = join(
  repository,
  'backend/client/src/generated/unpublished/accounting.json',
);

const main = async (): Promise<boolean> => {
  const fuzzer = await findFuzzer(repository);
  const { paths } = readStackOptions(repository, process.env);
  const endpoints = readEndpoints(paths.endpointsFile);
  const callers = await prepareCallers(endpoints);
  const documents = {
    customer: `${endpoints.customer}/docs/openapi.json`,
    admin: `${endpoints.admin}/docs/openapi.json`,
    accounting: accountingDocument,
  };
  type Api = keyof typeof documents;
  const target = (api: Api) => ({ url: endpoints[api], document: documents[api] });
  const anonymously = (api: Api) =>
    fuzz(fuzzer, { ...target(api), name: `${api}, without a token`, without: unavailable });
  const withToken = (api: Api, without = unavailable) =>
    fuzz(fuzzer, {
      ...target(api),
      name: `${api}, with a token`,
      ...callers[api],
      without,
    });
  const asCustomer = async () => {
    const isClean = await withToken('customer');
    return (await anonymously('customer')) && isClean;
  };
  const asStaff = async () => {
    const isClean = await withToken('accounting', endsSession);
    return (await anonymously('accounting')) && isClean;
  };
  // The callers run in parallel, since a fuzzer keeps one core busy. The operator runs last and
  // separately, because it may close the gates that the customer has to pass.
  const asOthers = async () => {
    const isClean = await anonymously('admin');
    return (await asStaff()) && isClean;
  };
  const results = await Promise.all([asCustomer(), asOthers()]);
  // This is checked before the operator's run, which may block the portal user or end their
  // sessions.
  const refusal = await refusalOf(endpoints, callers.accounting);
  if (refusal !== undefined) {
    say(`the accounting API was not fuzzed as a portal user, who is refused: ${refusal}`);
    return false;
  }
  results.push(await withToken('admin'));
  return results.every(Boolean);
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
