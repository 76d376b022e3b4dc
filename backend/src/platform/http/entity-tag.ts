/** Returns true if the text of `If-None-Match` names this tag, as a strong or a weak tag. */
export const namesTag = (condition: string, etag: string): boolean =>
  condition.trim() === '*' ||
  condition.split(',').some((tag) => tag.trim().replace(/^W\//u, '') === etag);
