/** The parameter in which an address that anybody can parse keeps all hosts of a store. */
const parameter = 'hosts';

/** The values by which libpq requests a server that accepts writes. The service needs no others. */
const writingSessions: ReadonlySet<string> = new Set(['read-write', 'primary']);

/** A server in a store's address that lists several. */
export interface StoreHost {
  readonly host: string;
  readonly port: number;
}

const authority =
  /^(?<scheme>(?:postgres(?:ql)?|rediss?\+cluster):\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*,[^/?]*)/u;

/** An address with its hosts in the parameter, or the reason why it can't be used. */
type Spread = { readonly text: string } | { readonly problem: string };

/**
 * Rewrites an address with several hosts, in libpq's form (`one:5432,two:5432`), as an address of
 * the first host. A parameter lists all hosts, since no URL parser accepts such a list. Returns any
 * other address unchanged.
 */
export const spreadHosts = (text: string): Spread => {
  const { scheme = '', user = '', hosts = '' } = authority.exec(text)?.groups ?? {};
  if (hosts === '') return { text };
  const [first = '', ...others] = hosts.split(',').filter((host) => host !== '');
  const spread = text.replace(authority, `${scheme}${user}${first}`);
  const isReadable = [first, ...others].every((host) => URL.canParse(`${scheme}${host}`));
  if (first === '' || !isReadable || !URL.canParse(spread)) {
    return { problem: 'names an invalid host' };
  }
  const url = new URL(spread);
  // A cluster of Redis has no such parameter, since its servers redirect each client.
  const wanted = url.searchParams.get('target_session_attrs') ?? 'read-write';
  if (!writingSessions.has(wanted)) {
    return { problem: 'asks for a target_session_attrs other than read-write and primary' };
  }
  url.searchParams.set(parameter, [first, ...others].join(','));
  return { text: url.href };
};

/** Returns the hosts of an address that was spread, or none if it has a single host. */
export const hostsOf = (url: string, usualPort = 5432): readonly StoreHost[] => {
  if (!URL.canParse(url)) return [];
  const text = new URL(url).searchParams.get(parameter) ?? '';
  return text
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const { hostname, port } = new URL(`postgresql://${entry}`);
      return { host: hostname.replaceAll(/[[\]]/gu, ''), port: Number(port || usualPort) };
    });
};
