/**
 * Thrown if the service does something other than the demo's script expects. The message is one line,
 * for the terminal.
 */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/**
 * Checks a condition of the demo's script.
 * @throws StepFailure with `otherwise`
 */
export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new StepFailure(otherwise);
}

/** Returns a value that the API may leave out but the demo's script requires. */
export const expectPresent = <T>(value: T | null | undefined, name: string): T => {
  if (value === null || value === undefined) throw new StepFailure(`there is no ${name}`);
  return value;
};
