interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const isInProgress = ({ status, body }: Answered): boolean =>
  status === 409 && JSON.stringify(body).includes('"REQUEST_IN_PROGRESS"');

/**
 * Sends a request under an idempotency key, and repeats it for as long as the first request of that
 * key is still at work: on a busy machine that may be longer than a request waits for another
 * (contract: conventions > Idempotency).
 */
export const askUntilDecided = async <T extends Answered>(ask: () => Promise<T>): Promise<T> => {
  for (;;) {
    const answer = await ask();
    if (!isInProgress(answer)) return answer;
  }
};
