/**
 * Thrown if something does not hold that the code relies on. It is not an AppError: the client
 * reads INTERNAL (500) and the failure is reported, since only we can fix it.
 */
class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Throws unless `condition` holds. Use it for what our own rules guarantee (a locked row that
 * exists, a column that its state fills), and AppError for what a caller may get wrong.
 * @throws InvariantError with `message`, which names the broken rule and no personal data
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === undefined || condition === null) {
    throw new InvariantError(message);
  }
}
