import { inject } from 'vitest';

/** Calls the run's own process, see global-setup.ts. @throws Error with its reason. */
export const callTestServers = async (
  method: 'POST' | 'DELETE',
  path: string,
): Promise<unknown> => {
  // The first call of a run may wait for a build and a start, on a busy machine for long.
  const signal = AbortSignal.timeout(170_000);
  const response = await fetch(`${inject('testServersUrl')}${path}`, { method, signal });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  const value: unknown = JSON.parse(text);
  return value;
};
