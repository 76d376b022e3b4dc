import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import { hostsOf } from '../config/several-hosts.ts';

/** The pause in milliseconds before a command goes to a server other than the one that failed. */
const redirectAfterMs = 50;

/** Returns true if an address names servers of a cluster. */
export const isCluster = (url: string): boolean => /^rediss?\+cluster:/u.test(url);

interface ClusterOptions {
  /** True if commands wait for a connection. */
  readonly isPatient: boolean;
  readonly reconnectAfterMs: (attempt: number) => number;
  /** The settings of the connection to each server. */
  readonly ofEach: Pick<
    RedisOptions,
    | 'commandTimeout'
    | 'connectTimeout'
    | 'connectionName'
    | 'keepAlive'
    | 'maxRetriesPerRequest'
    | 'noDelay'
    | 'socketTimeout'
  >;
}

/**
 * Opens a client of a cluster. Each key has its server, and a server that no longer has a key
 * redirects to the current server. The client has the commands, the events and the type of a single
 * server's client. Every command here has only one key, since two keys may be on different servers.
 */
export const openCluster = (url: string, options: ClusterOptions): Redis => {
  const { isPatient, reconnectAfterMs, ofEach } = options;
  const { protocol, hostname, port, username, password } = new URL(url);
  const [first, ...others] = hostsOf(url, 6379);
  const nodes =
    first === undefined ? [{ host: hostname, port: Number(port || 6379) }] : [first, ...others];
  const cluster = new Cluster(nodes, {
    enableOfflineQueue: isPatient,
    clusterRetryStrategy: reconnectAfterMs,
    clusterNodeRetryStrategy: reconnectAfterMs,
    // A command of a fail-fast client has few tries, so that it finds another server soon or fails.
    maxRedirections: isPatient ? 16 : 4,
    retryDelayOnFailover: redirectAfterMs,
    retryDelayOnClusterDown: redirectAfterMs,
    retryDelayOnTryAgain: redirectAfterMs,
    slotsRefreshTimeout: 2000,
    // The certificate is checked against the given name, so the name is not resolved.
    dnsLookup: (address, done) => done(null, address),
    redisOptions: {
      ...ofEach,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol.startsWith('rediss') && { tls: {} }),
    },
  });
  // A client of a cluster has the same commands, and its callers do not distinguish it.
  return cluster as unknown as Redis;
};
