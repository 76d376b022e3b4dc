import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../stack/free-port.ts';
import { nodeArguments } from '../stack/node-arguments.ts';
import { stopProcess } from '../stack/process-control.ts';
import { answersWell, startServer } from '../stack/start-server.ts';

/** Does the work that a step can do only if the service's processes run on this machine. */
export interface LocalProcesses {
  /** Starts an admin API beside the one of the stack, with these variables changed. */
  startAdmin(changes: Readonly<Record<string, string>>): Promise<{
    readonly url: string;
    stop(): Promise<void>;
  }>;
  /**
   * Runs the operator command with this standard input.
   * @throws Error with its output
   */
  operate(args: readonly string[], input: string): Promise<void>;
}

interface LocalOptions {
  /** The folder of the built processes. */
  readonly dist: string;
  /** The variables that the processes share. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the logs. */
  readonly logs: string;
}

const readyTimeoutMs = 60_000;

/** Creates the means to start processes beside those of a stack. */
export const createLocalProcesses = (options: LocalOptions): LocalProcesses => {
  const { dist, environment, logs } = options;
  const mainOf = (app: string): string => join(dist, app, 'main.js');
  return {
    async startAdmin(changes) {
      const [port, internalPort] = [String(await freePort()), String(await freePort())];
      // No process reads this argument. It distinguishes this process from the stack's own.
      const mark = `--second=${port}`;
      const { pid } = await startServer({
        name: 'the second admin API',
        command: process.execPath,
        args: [...nodeArguments, mainOf('admin'), mark],
        logFile: join(logs, 'second-admin.log'),
        isReady: () => answersWell(`http://127.0.0.1:${internalPort}/readyz`),
        timeoutMs: readyTimeoutMs,
        env: { ...environment, PORT: port, INTERNAL_PORT: internalPort, ...changes },
      });
      return {
        url: `http://127.0.0.1:${port}`,
        async stop() {
          await stopProcess({ pid, mark });
        },
      };
    },
    async operate(args, input) {
      const child = spawn(process.execPath, [...nodeArguments, mainOf('operator'), ...args], {
        env: environment,
        stdio: ['pipe', 'ignore', 'pipe'],
      });
      let output = '';
      child.stderr.on('data', (piece: Buffer) => (output += piece.toString()));
      child.stdin.end(input);
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`operator ${args.slice(0, 2).join(' ')}: ${output}`);
    },
  };
};
