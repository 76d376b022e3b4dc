import type { IncomingMessage } from 'node:http';
import { addressGroup, clientAddress } from '../../platform/http/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';

export interface SocketLimitOptions {
  /** Open sockets of one address (an IPv6 /64) on this replica. */
  readonly socketsPerAddress: number;
  readonly trustProxyHops: number;
  readonly metrics: Pick<Metrics, 'countBound'>;
}

/** The part of an Engine.IO socket that is needed here. */
interface RawSocket {
  readonly request: IncomingMessage;
  once(event: 'close', listener: () => void): unknown;
  close(discard: boolean): void;
}

/**
 * Counts open sockets by address. `mayOpen` refuses a handshake before anything is made for it;
 * `admit` is exact, for handshakes at once all find room: it closes the socket that is one too many.
 */
export const createSocketLimit = (options: SocketLimitOptions) => {
  const { socketsPerAddress, trustProxyHops, metrics } = options;
  const open = new Map<string, number>();

  const groupOf = (req: IncomingMessage): string =>
    addressGroup(clientAddress(req, trustProxyHops));
  const hasRoom = (group: string): boolean => {
    if ((open.get(group) ?? 0) < socketsPerAddress) return true;
    metrics.countBound('price_sockets');
    return false;
  };
  const release = (group: string): void => {
    const left = (open.get(group) ?? 0) - 1;
    if (left > 0) open.set(group, left);
    else open.delete(group);
  };

  return {
    mayOpen: (req: IncomingMessage): boolean => hasRoom(groupOf(req)),
    admit(socket: RawSocket): void {
      const group = groupOf(socket.request);
      if (!hasRoom(group)) {
        socket.close(true);
        return;
      }
      open.set(group, (open.get(group) ?? 0) + 1);
      socket.once('close', () => release(group));
    },
  };
};
