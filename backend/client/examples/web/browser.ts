import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A tab of a browser, driven over the DevTools protocol. */
export interface Tab {
  /** Runs an expression in the page and returns its value, awaited. */
  evaluate(expression: string): Promise<unknown>;
  /** Writes what the page shows to a PNG, as base64. */
  screenshot(): Promise<string>;
}

export interface Browser {
  open(url: string): Promise<Tab>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

const connect = async (address: string) => {
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('the browser does not answer')));
  });
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message; // as the protocol says
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (method: string, params: object, sessionId?: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      last += 1;
      const id = last;
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    });
  return { send, close: () => socket.close() };
};

/** Waits for the address that a browser prints once it listens. */
const addressOf = (child: ReturnType<typeof spawn>): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = '';
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`the browser ended: ${said.slice(-500)}`)));
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /DevTools listening on (?<address>\S+)/u.exec(said)?.groups?.['address'];
      if (address !== undefined) resolve(address);
    });
  });

/** Starts a headless Chromium with a profile of its own. */
export const startBrowser = async (program: string): Promise<Browser> => {
  const profile = mkdtempSync(join(tmpdir(), 'client-example-'));
  const args = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
    'about:blank',
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { send, close } = await connect(await addressOf(child));
  return {
    async open(url) {
      const { targetId } = await send('Target.createTarget', { url });
      const attached = await send('Target.attachToTarget', { targetId, flatten: true });
      const sessionId = String(attached['sessionId']);
      return {
        async evaluate(expression) {
          const params = { expression, awaitPromise: true, returnByValue: true };
          const { result, exceptionDetails } = await send('Runtime.evaluate', params, sessionId);
          if (exceptionDetails !== undefined) {
            throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
          }
          return Object(result)['value'] as unknown;
        },
        async screenshot() {
          return String((await send('Page.captureScreenshot', {}, sessionId))['data']);
        },
      };
    },
    close() {
      close();
      child.kill('SIGKILL');
      child.on('exit', () => rmSync(profile, { recursive: true, force: true }));
    },
  };
};
