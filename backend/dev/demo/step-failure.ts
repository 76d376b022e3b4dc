/** Thrown if something differs from the story. Its message is a line for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/**
 * Checks a condition of the story.
 * @throws StepFailure with `otherwise`
 */
export function expectThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new StepFailure(otherwise);
}

/** Returns a value that the API may leave out but the story requires. */
export const expectPresent = <T>(value: T | null | undefined, name: string): T => {
  if (value === null || value === undefined) throw new StepFailure(`there is no ${name}`);
  return value;
};
