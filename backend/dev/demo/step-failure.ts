/** Thrown if something differs from the story. Its message is a line for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** Holds the story to what it says. @throws StepFailure with `otherwise` */
export function expectThat(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new StepFailure(otherwise);
}

/** Returns a value that the API may leave out but the story requires. */
export const expectPresent = <T>(value: T | null | undefined, name: string): T => {
  if (value === null || value === undefined) throw new StepFailure(`there is no ${name}`);
  return value;
};
