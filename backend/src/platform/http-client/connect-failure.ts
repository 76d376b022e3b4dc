/** A property of whatever was thrown, such as a system error's `code`. */
const field = (error: unknown, name: 'code' | 'syscall' | 'cause'): unknown => {
  if (typeof error !== 'object' || error === null) return undefined;
  const value: unknown = Reflect.get(error, name);
  return value;
};

/** A short word for logs: the system's or the client's error code, never a message. */
export const errorCode = (error: unknown): string => {
  const code = field(error, 'code') ?? field(field(error, 'cause'), 'code');
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : 'UNKNOWN_ERROR';
};

/**
 * Returns whether the connection was never made, so that no byte of the request can have left. Only
 * the resolver, `connect` itself and the limit on connecting prove that; the same code (a reset, an
 * unreachable host) from a read or a write comes after the request, and proves nothing.
 */
export const isConnectFailure = (error: unknown): boolean => {
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every(isConnectFailure);
  }
  if (field(error, 'code') === 'UND_ERR_CONNECT_TIMEOUT') return true;
  const syscall = field(error, 'syscall');
  return syscall === 'connect' || syscall === 'getaddrinfo';
};
