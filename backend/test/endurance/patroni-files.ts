import { administrator, postgresPrograms } from './own-servers.ts';

/** The machines of a cluster. */
export const nodeNames = ['node1', 'node2', 'node3'] as const;
export type NodeName = (typeof nodeNames)[number];

const follower = { name: 'follower', password: 'dev-only-follower' };

const ofNode = (at: number) => ({
  /** The server's own port, and its ports behind the proxies, for followers and for clients. */
  postgres: at,
  replication: at + 1,
  clients: at + 2,
  rest: at + 3,
  restByOthers: at + 4,
  /** The port of the proxy to etcd. */
  etcd: at + 5,
});

/** Returns the ports of a cluster from `first` on. */
export const portsOfCluster = (first: number) => ({
  nodes: { node1: ofNode(first), node2: ofNode(first + 6), node3: ofNode(first + 12) },
  etcd: first + 18,
  etcdPeer: first + 19,
  haproxy: first + 20,
  haproxyStatus: first + 21,
});

export type ClusterPorts = ReturnType<typeof portsOfCluster>;

interface PatroniOptions {
  readonly name: NodeName;
  readonly ports: ClusterPorts;
  readonly data: string;
  /** The machine's own folder. */
  readonly folder: string;
}

/**
 * The lease of a leader in seconds, which is Patroni's minimum. A leader that does not renew it
 * loses the lead.
 */
const ttlSeconds = 20;

/** Returns Patroni's settings for a machine. */
export const patroniText = ({ name, ports, data, folder }: PatroniOptions): string => {
  const node = ports.nodes[name];
  return `scope: gold
name: ${name}
restapi:
  listen: 127.0.0.1:${node.rest}
  connect_address: 127.0.0.1:${node.restByOthers}
etcd3:
  hosts: 127.0.0.1:${node.etcd}
  # Patroni uses only this address, and asks etcd for no others.
  use_proxies: true
bootstrap:
  dcs:
    ttl: ${ttlSeconds}
    loop_wait: 4
    retry_timeout: 8
    maximum_lag_on_failover: 67108864
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 200
        wal_log_hints: "on"
        max_wal_senders: 8
        max_replication_slots: 8
        hot_standby: "on"
  initdb:
    - encoding: UTF8
    - locale: C
    - data-checksums
  pg_hba:
    - host all all 127.0.0.1/32 scram-sha-256
    - host replication ${follower.name} 127.0.0.1/32 scram-sha-256
postgresql:
  listen: 127.0.0.1:${node.postgres}
  connect_address: 127.0.0.1:${node.replication}
  data_dir: ${data}
  bin_dir: ${postgresPrograms}
  pgpass: ${folder}/pgpass
  authentication:
    superuser:
      username: ${administrator.name}
      password: ${administrator.password}
    replication:
      username: ${follower.name}
      password: ${follower.password}
  parameters:
    unix_socket_directories: ${folder}
    shared_buffers: 64MB
    timezone: UTC
    log_timezone: UTC
`;
};

/**
 * Returns HAProxy's settings. It connects clients to the leader, and ends connections to a server
 * that no longer leads.
 */
export const haproxyText = ({ nodes, haproxy, haproxyStatus }: ClusterPorts): string => {
  const servers = nodeNames.map((name) => {
    const { clients, restByOthers } = nodes[name];
    return `  server ${name} 127.0.0.1:${clients} maxconn 200 check port ${restByOthers}`;
  });
  return `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 60m
  timeout server 60m
  timeout check 2s
listen postgres
  bind 127.0.0.1:${haproxy}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
listen status
  mode http
  bind 127.0.0.1:${haproxyStatus}
  timeout client 5s
  timeout server 5s
  stats enable
  stats uri /
`;
};
