import type { LeftOutForm } from '../core/answer-shape.ts';
import type { Random } from '../../../platform/ids/random.ts';

/** The kinds of faults. The README of the sandbox says what each of them does. */
export const faultKinds = [
  'error',
  'timeout',
  'reset',
  'slow',
  'hold',
  'accept_then_timeout',
  'wrong_amount',
  'malformed',
  'sparse',
  'odd_state',
  'odd_row',
  'lost_webhook',
] as const;

type FaultKind = (typeof faultKinds)[number];

/** A fault that the sandbox injects into the next matching calls or webhooks. */
export interface Fault {
  readonly id: string;
  readonly collaborator: string;
  /** The name of an operation, or `*` for every operation. */
  readonly operation: string;
  readonly fault: FaultKind;
  readonly remaining: number;
  readonly status?: number;
  readonly delayMs?: number;
  /** The way in which `sparse` leaves fields out. By default they are absent. */
  readonly form?: LeftOutForm;
}

interface NewFault extends Omit<Fault, 'id' | 'remaining' | 'status' | 'delayMs' | 'form'> {
  readonly times: number;
  readonly status?: number | undefined;
  readonly delayMs?: number | undefined;
  readonly form?: LeftOutForm | undefined;
}

export interface FaultRegistry {
  add(fault: NewFault): Fault;
  /**
   * Uses up one call of the oldest matching fault. Returns undefined if no fault matches. Leaves the
   * faults `lost_webhook` to `takeLostWebhook`.
   */
  take(collaborator: string, operation: string): Fault | undefined;
  /**
   * Uses up one webhook of the oldest fault `lost_webhook` of a collaborator. Returns false if there
   * is no such fault, so the webhook is sent.
   */
  takeLostWebhook(collaborator: string): boolean;
  list(): readonly Fault[];
  /** Removes a fault. Returns false if it does not exist. */
  remove(id: string): boolean;
  /** Removes all faults, and lets the calls go on that a fault `hold` keeps waiting. */
  clear(): void;
  /** Aborted at the next `clear`. */
  untilCleared(): AbortSignal;
}

/**
 * Creates the registry. It keeps faults in the order in which they were added, and removes a
 * used-up fault.
 */
export const createFaultRegistry = (random: Random): FaultRegistry => {
  let faults: Fault[] = [];
  let clearing = new AbortController();
  const use = (matches: (fault: Fault) => boolean): Fault | undefined => {
    const found = faults.find(matches);
    if (found === undefined) return undefined;
    const used = { ...found, remaining: found.remaining - 1 };
    faults = faults.map((fault) => (fault === found ? used : fault));
    faults = faults.filter((fault) => fault.remaining > 0);
    return found;
  };
  return {
    add({ times, status, delayMs, form, ...target }) {
      const fault: Fault = {
        id: random.uuid(),
        ...target,
        remaining: times,
        ...(status !== undefined && { status }),
        ...(delayMs !== undefined && { delayMs }),
        ...(form !== undefined && { form }),
      };
      faults.push(fault);
      return fault;
    },
    take: (collaborator, operation) =>
      use(
        (fault) =>
          fault.fault !== 'lost_webhook' &&
          fault.collaborator === collaborator &&
          (fault.operation === '*' || fault.operation === operation),
      ),
    takeLostWebhook: (collaborator) =>
      use((fault) => fault.fault === 'lost_webhook' && fault.collaborator === collaborator) !==
      undefined,
    list: () => [...faults],
    remove(id) {
      const before = faults.length;
      faults = faults.filter((fault) => fault.id !== id);
      return faults.length < before;
    },
    clear() {
      faults = [];
      clearing.abort();
      clearing = new AbortController();
    },
    untilCleared: () => clearing.signal,
  };
};
