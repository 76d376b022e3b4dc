const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/**
 * Whether a reference or an idempotency key is of this id of ours: it is the id, or the id and an
 * attempt (`-2`); a UUID may have lost its hyphens there.
 */
export const isOf = (text: string | null, id: string): boolean => {
  if (text === null) return false;
  const forms = uuid.test(id) ? [id, id.replaceAll('-', '')] : [id];
  return forms.some((form) => text === form || text.startsWith(`${form}-`));
};
