type Environment = Readonly<Record<string, string | undefined>>;

const valueOf = (env: Environment, name: string): string =>
  env[name] ?? env[name.toLowerCase()] ?? '';

/** The loopback addresses, which never use a proxy, because tunnels to pods start there. */
const loopback = ['localhost', '127.0.0.1', '[::1]', '::1'];

const exceptions = (env: Environment): string[] => [
  ...loopback,
  ...valueOf(env, 'NO_PROXY')
    .split(/[\s,]+/u)
    .filter((entry) => entry !== ''),
];

/** Matches an entry of NO_PROXY. `example.com` and `.example.com` include subdomains. `*` is any host. */
const isExcepted = (host: string, entry: string): boolean => {
  const name = entry.replace(/^\*?\./u, '').replace(/:\d+$/u, '');
  return entry === '*' || host === entry || host === name || host.endsWith(`.${name}`);
};

/** Returns the proxy that the environment names for an address, or undefined if there is none. */
export const proxyFor = (env: Environment, address: string): string | undefined => {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  const proxy = valueOf(env, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || exceptions(env).some((entry) => isExcepted(hostname, entry))) {
    return undefined;
  }
  return proxy;
};

/** Returns the proxies of the environment in Node's form, or undefined if there are none. */
export const proxyEnvironment = (env: Environment): Record<string, string> | undefined => {
  const [secure, plain] = [valueOf(env, 'HTTPS_PROXY'), valueOf(env, 'HTTP_PROXY')];
  if (secure === '' && plain === '') return undefined;
  return {
    ...(secure !== '' && { HTTPS_PROXY: secure }),
    ...(plain !== '' && { HTTP_PROXY: plain }),
    NO_PROXY: exceptions(env).join(','),
  };
};
