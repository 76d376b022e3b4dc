import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/**
 * Returns true when anything answers HTTP at `baseUrl` within 5 s. A host that `hosts` knows is
 * looked for at the address there, `ip` or `ip:port`.
 */
export const isReachable = (
  baseUrl: string,
  hosts: Readonly<Record<string, string>>,
): Promise<boolean> => {
  const url = new URL(baseUrl);
  const address = hosts[url.hostname];
  const target = address === undefined ? url : new URL(`${url.protocol}//${address}`);
  const isSecure = url.protocol === 'https:';
  const port = target.port === '' ? url.port : target.port;
  const options = {
    hostname: target.hostname,
    ...(port !== '' && { port }),
    path: '/',
    headers: { host: url.host },
    timeout: 5000,
  };
  return new Promise((resolve) => {
    const request = isSecure
      ? // k6 decides whether the certificate is valid.
        requestHttps({ ...options, servername: url.hostname, rejectUnauthorized: false })
      : requestHttp(options);
    request.on('response', (response) => {
      response.resume();
      resolve(true);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
    request.on('close', () => resolve(false));
    request.end();
  });
};
