/**
 * Thrown if an assumption of the code is broken. It is not an AppError, so the client gets INTERNAL
 * (500) and the failure is reported, since only we can fix it.
 */
class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Throws unless `condition` holds. Use it for guarantees of our own rules (a locked row that
 * exists, a column that its state fills), and AppError for mistakes that a caller may make.
 * @throws InvariantError with `message`, which names the broken rule and no personal data
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === undefined || condition === null) {
    throw new InvariantError(message);
  }
}
