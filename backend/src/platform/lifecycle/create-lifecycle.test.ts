import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get as httpGet, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { freePort } from '#test/support/free-port.ts';

const backend = join(import.meta.dirname, '..', '..', '..');
const script = join('test', 'fixtures', 'lifecycle-process.ts');

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ask = (port: number, path: string, agent?: Agent): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const options = { port, path, host: '127.0.0.1', ...(agent !== undefined && { agent }) };
    httpGet(options, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, text }));
    }).on('error', reject);
  });

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const isEvent = (line: string, event: string): boolean =>
  line === JSON.stringify({ event }) || line.includes(`"msg":"${event}"`);

const launch = async (mode: string, ports?: { readonly api: number }) => {
  const api = ports?.api ?? (await freePort());
  const internal = await freePort();
  const args = ['--import', 'tsx', script, String(api), String(internal), mode];
  const child = spawn(process.execPath, args, { cwd: backend });
  stops.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const lines = (): string[] => output.split('\n');
  const exited = once(child, 'exit').then(([code]: unknown[]) => code);
  return {
    api,
    internal,
    exited,
    output: () => output,
    signal: () => child.kill('SIGTERM'),
    happened: (event: string) => lines().findIndex((line) => isEvent(line, event)),
    until: (event: string) =>
      eventually(() => lines().some((line) => isEvent(line, event)), { timeoutMs: 60_000 }),
  };
};

const start = async (mode = '') => {
  const launched = await launch(mode);
  await launched.until('listening');
  return launched;
};

describe('probes', () => {
  it('answers on every server, and serves metrics on the internal one', async () => {
    const { api, internal } = await start();
    for (const port of [api, internal]) {
      const ready = await ask(port, '/readyz');
      expect(ready.status).toBe(200);
      expect(ready.headers['cache-control']).toBe('no-store');
      expect(JSON.parse(ready.text)).toEqual({
        status: 'ok',
        checks: { database: 'ok', cache: 'ok' },
      });
      expect(JSON.parse((await ask(port, '/healthz')).text)).toEqual({ status: 'ok', checks: {} });
    }
    expect((await ask(internal, '/metrics')).text).toContain('http_request_duration_seconds');
    const switches = await ask(internal, '/switches');
    expect(JSON.parse(switches.text)).toEqual({ switches: {} });
    expect((await ask(api, '/switches')).status).toBe(404);
    expect((await ask(internal, '/else')).status).toBe(404);
    expect((await ask(api, '/quick')).status).toBe(200);
  });

  it('is not ready without something required, but alive', async () => {
    const { api } = await start('database');
    const ready = await ask(api, '/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.text)).toEqual({
      status: 'unavailable',
      checks: { database: 'failed', cache: 'ok' },
    });
    expect((await ask(api, '/healthz')).status).toBe(200);
  });

  it('reports the cache and stays ready without it', async () => {
    const { api } = await start('cache');
    const ready = await ask(api, '/readyz');
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.text)).toEqual({
      status: 'ok',
      checks: { database: 'ok', cache: 'failed' },
    });
  });
});

const connect = async (port: number, transport: 'polling' | 'websocket'): Promise<Socket> => {
  const socket = io(`http://127.0.0.1:${port}/price`, {
    transports: [transport],
    reconnection: false,
  });
  stops.push(() => socket.disconnect());
  await eventually(() => socket.connected);
  return socket;
};

describe('shutdown', () => {
  it('drains, finishes what runs, closes in order and exits with 0', async () => {
    const running = await start();
    const { api, internal, happened } = running;
    const sockets = [await connect(api, 'polling'), await connect(api, 'websocket')];
    const slow = ask(api, '/slow');
    await running.until('slow started');

    running.signal();
    await running.until('drain begun');
    for (const port of [api, internal]) {
      const ready = await ask(port, '/readyz');
      expect(ready.status).toBe(503);
      expect(JSON.parse(ready.text)).toMatchObject({ status: 'draining' });
      expect((await ask(port, '/healthz')).status).toBe(200);
    }
    const quick = await ask(api, '/quick', new Agent({ keepAlive: true }));
    expect([quick.status, quick.headers.connection]).toEqual([200, 'close']);
    running.signal();
    await ask(api, '/end-of-delay');

    expect((await slow).status).toBe(200);
    expect(await running.exited).toBe(0);
    await eventually(() => sockets.every((socket) => !socket.connected));
    const order = [
      'drain begun',
      'before stop',
      'drain done',
      'closed first',
      'a step of the shutdown failed',
      'closed second',
      'closed',
    ].map(happened);
    expect(order.every((at) => at >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('serves on while requests still come, and ends when none has come for a while', async () => {
    const { api, until, signal, exited, output } = await start();
    signal();
    await until('drain begun');
    await ask(api, '/end-of-delay');
    for (let asked = 0; asked < 400; asked += 1) {
      expect((await ask(api, '/quick')).status).toBe(200);
    }
    expect(output()).not.toContain('before stop');
    // Who only checks whether it is there does not keep it.
    const begun = performance.now();
    while (!output().includes('before stop')) await ask(api, '/readyz').catch(() => undefined);
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(await exited).toBe(0);
  });

  it('exits with 1 when it takes longer than its grace', async () => {
    const running = await start('stuck');
    running.signal();
    expect(await running.exited).toBe(1);
    expect(running.output()).toContain('the shutdown timed out');
  });

  it('names the server and the address when a port is taken', async () => {
    const api = await freePort();
    const taken = createServer().listen(api, '127.0.0.1');
    stops.push(() => taken.close());
    await once(taken, 'listening');
    const running = await launch('', { api });
    expect(await running.exited).not.toBe(0);
    expect(running.output()).toContain(`API can't listen on 127.0.0.1:${api}`);
  });
});
