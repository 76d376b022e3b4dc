/** A point at which work stands until the test lets it through. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export const createGate = (): Gate => {
  const settle: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    settle.open = resolve;
  });
  return { opened, open: () => settle.open?.() };
};
