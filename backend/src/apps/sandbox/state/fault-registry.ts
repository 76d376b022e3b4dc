import type { LeftOutForm } from '../core/answer-shape.ts';
import type { Random } from '../../../platform/ids/random.ts';

export const faultKinds = [
  'error',
  'timeout',
  'reset',
  'slow',
  'accept_then_timeout',
  'wrong_amount',
  'malformed',
  'sparse',
  'odd_state',
  'odd_row',
  'lost_webhook',
] as const;

type FaultKind = (typeof faultKinds)[number];

/** A misbehaviour of the next matching calls. */
export interface Fault {
  readonly id: string;
  readonly collaborator: string;
  /** An operation, or `*` for each. */
  readonly operation: string;
  readonly fault: FaultKind;
  readonly remaining: number;
  readonly status?: number;
  readonly delayMs?: number;
  /** How `sparse` leaves fields out. They are absent by default. */
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
   * Uses up one call of the oldest matching fault. Returns undefined when none matches. Lost
   * webhooks are no faults of calls.
   */
  take(collaborator: string, operation: string): Fault | undefined;
  /** Uses up one lost webhook of a collaborator. Returns false when it is to be sent. */
  takeLostWebhook(collaborator: string): boolean;
  list(): readonly Fault[];
  /** Removes one. Returns false when it does not exist. */
  remove(id: string): boolean;
  clear(): void;
}

/** Keeps faults in the order in which they were added. A used-up fault is removed. */
export const createFaultRegistry = (random: Random): FaultRegistry => {
  let faults: Fault[] = [];
  const use = (matches: (fault: Fault) => boolean): Fault | undefined => {
    const found = faults.find(matches);
    if (found === undefined) return undefined;
    const used = { ...found, remaining: found.remaining - 1 };
    faults = faults.map((fault) => (fault === found ? used : fault));
    faults = faults.filter((fault) => fault.remaining > 0);
    return found;
  };
  return {
    add({ times, status, delayMs, form, ...rest }) {
      const fault: Fault = {
        id: random.uuid(),
        ...rest,
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
    },
  };
};
