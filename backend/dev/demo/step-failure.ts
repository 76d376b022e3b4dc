/** Something was not as the story tells it: one line for people. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** Holds the story to what it says. @throws StepFailure with `otherwise` */
export function expectThat(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new StepFailure(otherwise);
}
