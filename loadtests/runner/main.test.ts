import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';

const runner = join(import.meta.dirname, 'main.ts');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program in k6's place: it tells what it was given and ends with `exitCode`. */
const putK6 = (exitCode: number, reportSays = true): void => {
  const script = `#!/bin/sh
for last; do :; done
name=\${last##*/}
echo '{"ok": ${reportSays}}' >"$RESULTS_DIR/\${name%.ts}.json"
echo "ran $* usage=$K6_NO_USAGE_REPORT page=$K6_WEB_DASHBOARD_EXPORT at $CUSTOMER_URL"
exit ${exitCode}
`;
  writeFileSync(join(folder, 'k6'), script, { mode: 0o755 });
};

const startApi = async (): Promise<string> => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: folder, STACK_HOME: folder, RESULTS_DIR: folder, ...env } };
    const command = ['--import', 'tsx', runner, ...args];
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });

it('runs all suites and ends well', async () => {
  putK6(0);
  const url = await startApi();
  const { code, stdout } = await run([], { CUSTOMER_URL: url, APIS: 'customer' });
  expect(stdout).toMatch(/ran run .*suites\/rate-limits\.ts usage=true page= at http/u);
  expect(stdout).toContain('suites/price-cadence.ts');
  expect(stdout).toContain(`at ${url}`);
  expect(code).toBe(0);
});

it('ends with 1 when a threshold does not hold', async () => {
  putK6(99);
  const env = { CUSTOMER_URL: await startApi(), APIS: 'customer' };
  const { code, stdout } = await run(['--suite', 'rate-limits', '--profile', 'load'], env);
  expect(stdout).not.toContain('price-cadence');
  expect(stdout).toMatch(/page=\S+rate-limits\.html/u);
  expect(code).toBe(1);
});

it('ends with 1 when the report has what k6 does not know', async () => {
  putK6(0, false);
  const env = { CUSTOMER_URL: await startApi(), APIS: 'customer' };
  expect((await run(['--suite', 'price-cadence'], env)).code).toBe(1);
});

it('ends with 1 when a suite breaks, and says with what', async () => {
  putK6(107);
  const env = { CUSTOMER_URL: await startApi(), APIS: 'customer' };
  const { code, stdout } = await run(['--suite', 'price-cadence'], env);
  expect(stdout).toContain('price-cadence: k6 ended with 107');
  expect(code).toBe(1);
});

it('ends with 2 and one line when the stack is not there', async () => {
  putK6(0);
  const { code, stderr } = await run([], {});
  expect(stderr).toMatch(/^there is no .*endpoints\.json: .*"make up".*\n$/u);
  expect(code).toBe(2);
});

it('ends with 2 and one line when an API does not answer', async () => {
  putK6(0);
  const env = { CUSTOMER_URL: 'http://127.0.0.1:9', APIS: 'customer' };
  const { code, stderr } = await run([], env);
  expect(stderr).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:9, the customer API: .*\n$/u);
  expect(code).toBe(2);
});
