/**
 * Returns the event id that a header gives, in an object to spread; none for one that can't be
 * stored.
 */
export const eventIdIn = (
  headers: Readonly<Record<string, unknown>>,
  name: string,
): { eventId?: string } => {
  const id = headers[name];
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? { eventId: id } : {};
};
