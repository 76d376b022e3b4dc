import { join, resolve } from 'node:path';
import { readEndpoints } from '../demo/read-endpoints.ts';
import { runCommand } from '../stack/run-command.ts';
import { readStackOptions } from '../stack/stack-options.ts';
import { findFuzzer } from './find-fuzzer.ts';
import { prepareCallers } from './prepare-callers.ts';

/**
 * `make fuzz`: sends requests that a public fuzzer makes up from the OpenAPI documents to the
 * customer and admin APIs of the fuzzer's own stack, with a token and without. No request may be
 * answered by a 5xx, hang, or be answered otherwise than the document says. Bodies come compressed,
 * in other charsets and with null for absent fields as well.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const { stdout } = process;
const say = (text: string): void => void stdout.write(`${text}\n`);

/** Tries of each operation; FUZZ_EXAMPLES changes it. */
const examples = process.env['FUZZ_EXAMPLES'] ?? '60';

/**
 * All that judge single answers, but for two: a rule of business may refuse what the document's
 * types allow (`positive_data_acceptance`), and the fuzzer's own token stands in for a header that
 * it left out (`missing_required_header`; `ignored_auth` tries that).
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

type Api = 'customer' | 'admin';

interface Target {
  readonly name: string;
  /** The origin of the API. */
  readonly url: string;
  readonly token?: string;
}

/** Runs the fuzzer against one API as one caller; false when it found something. */
const fuzz = async (fuzzer: string, { name, url, token }: Target): Promise<boolean> => {
  const args = [
    'run',
    `${url}/docs/openapi.json`,
    '--phases=examples,coverage,fuzzing',
    `--checks=${checks.join(',')}`,
    `--max-examples=${examples}`,
    `--exclude-path-regex=${unavailable}`,
    '--max-response-time=15',
    '--request-timeout=30',
    '--continue-on-failure',
    '--warnings=off',
    '--no-color',
    ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
  ];
  const { code, output } = await runCommand(fuzzer, args, {
    cwd: join(repository, '.tools'),
    env: { ...process.env, PYTHONPATH: import.meta.dirname, SCHEMATHESIS_HOOKS: 'hooks' },
  });
  const sent = /(\d[\d,]*) generated/u.exec(output)?.[1] ?? 'no';
  say(
    `${name.padEnd(32)} ${sent} requests, ${code === 0 ? 'every answer as documented' : 'FAILED'}`,
  );
  if (code !== 0) say(output);
  return code === 0;
};

const main = async (): Promise<boolean> => {
  const fuzzer = await findFuzzer(repository);
  const { paths } = readStackOptions(repository, process.env);
  const endpoints = readEndpoints(paths.endpointsFile);
  const tokens = await prepareCallers(endpoints);
  const anonymously = (api: Api) =>
    fuzz(fuzzer, { name: `${api}, without a token`, url: endpoints[api] });
  const withToken = (api: Api) =>
    fuzz(fuzzer, { name: `${api}, with a token`, url: endpoints[api], token: tokens[api] });
  const asCustomer = async () => {
    const isClean = await withToken('customer');
    return (await anonymously('customer')) && isClean;
  };
  // Beside each other, since a fuzzer keeps one core busy; but the operator comes last and alone:
  // it may close the gates that the customer is to pass.
  const results = await Promise.all([asCustomer(), anonymously('admin')]);
  results.push(await withToken('admin'));
  return results.every(Boolean);
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
