import { createServer } from 'node:net';

/** The ports of the stack's processes by the name under which a busy one is reported. */
export interface StackPorts {
  readonly customer: number;
  readonly admin: number;
  readonly accounting: number;
  readonly sandbox: number;
  readonly customerInternal: number;
  readonly adminInternal: number;
  readonly accountingInternal: number;
  readonly workerInternal: number;
  readonly postgres: number;
  readonly redis: number;
}

/** Each port's variable and default. */
export const portVariables: Readonly<Record<keyof StackPorts, readonly [string, number]>> = {
  customer: ['CUSTOMER_PORT', 4000],
  admin: ['ADMIN_PORT', 4001],
  accounting: ['ACCOUNTING_PORT', 4002],
  sandbox: ['SANDBOX_PORT', 4010],
  customerInternal: ['CUSTOMER_INTERNAL_PORT', 4100],
  adminInternal: ['ADMIN_INTERNAL_PORT', 4101],
  accountingInternal: ['ACCOUNTING_INTERNAL_PORT', 4102],
  workerInternal: ['WORKER_INTERNAL_PORT', 4103],
  postgres: ['POSTGRES_PORT', 4020],
  redis: ['REDIS_PORT', 4021],
};

/** Reads the ports from the environment. @throws Error naming a variable that is no port. */
export const readPorts = (env: Readonly<Record<string, string | undefined>>): StackPorts => {
  const read = (name: keyof StackPorts): number => {
    const [variable, fallback] = portVariables[name];
    const text = env[variable] ?? '';
    if (text === '') return fallback;
    const port = /^\d{1,5}$/u.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535) throw new Error(`${variable} must be a port, not "${text}"`);
    return port;
  };
  return {
    customer: read('customer'),
    admin: read('admin'),
    accounting: read('accounting'),
    sandbox: read('sandbox'),
    customerInternal: read('customerInternal'),
    adminInternal: read('adminInternal'),
    accountingInternal: read('accountingInternal'),
    workerInternal: read('workerInternal'),
    postgres: read('postgres'),
    redis: read('redis'),
  };
};

/** Returns true if a server could listen on the port now, on every interface and on loopback. */
export const isPortFree = async (port: number): Promise<boolean> =>
  (await canListen(port, '127.0.0.1')) && (await canListen(port, '0.0.0.0'));

const canListen = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });

/** Returns the line that reports a busy port. */
export const busyPortMessage = (name: keyof StackPorts, port: number): string => {
  const [variable] = portVariables[name];
  return `port ${port} (${name}) is in use by another program; free it or set ${variable}`;
};
