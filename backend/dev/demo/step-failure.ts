/** Something was not as the story tells it: one line for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** Holds the story to what it says. @throws StepFailure with `otherwise` */
export function expectThat(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new StepFailure(otherwise);
}

/** Returns what the API may leave out, where the story says that it is there. */
export const expectPresent = <T>(value: T | null | undefined, name: string): T => {
  if (value === null || value === undefined) throw new StepFailure(`there is no ${name}`);
  return value;
};
