import type { Random } from '../../../platform/ids/random.ts';

export const faultKinds = [
  'error',
  'timeout',
  'reset',
  'slow',
  'accept_then_timeout',
  'wrong_amount',
  'malformed',
] as const;

type FaultKind = (typeof faultKinds)[number];

/** A misbehaviour that the next matching calls meet. */
export interface Fault {
  readonly id: string;
  readonly collaborator: string;
  /** One operation, or `*` for each. */
  readonly operation: string;
  readonly fault: FaultKind;
  readonly remaining: number;
  readonly status?: number;
  readonly delayMs?: number;
}

interface NewFault extends Omit<Fault, 'id' | 'remaining' | 'status' | 'delayMs'> {
  readonly times: number;
  readonly status?: number | undefined;
  readonly delayMs?: number | undefined;
}

export interface FaultRegistry {
  add(fault: NewFault): Fault;
  /** The oldest matching fault, used up by one; undefined where there is none. */
  take(collaborator: string, operation: string): Fault | undefined;
  list(): readonly Fault[];
  /** Forgets one; false when it isn't there. */
  remove(id: string): boolean;
  clear(): void;
}

/** Faults in the order in which they were asked for; a used-up one is gone. */
export const createFaultRegistry = (random: Random): FaultRegistry => {
  let faults: Fault[] = [];
  return {
    add({ times, status, delayMs, ...rest }) {
      const fault: Fault = {
        id: random.uuid(),
        ...rest,
        remaining: times,
        ...(status !== undefined && { status }),
        ...(delayMs !== undefined && { delayMs }),
      };
      faults.push(fault);
      return fault;
    },
    take(collaborator, operation) {
      const found = faults.find(
        (fault) =>
          fault.collaborator === collaborator &&
          (fault.operation === '*' || fault.operation === operation),
      );
      if (found === undefined) return undefined;
      const used = { ...found, remaining: found.remaining - 1 };
      faults = faults.map((fault) => (fault === found ? used : fault));
      faults = faults.filter((fault) => fault.remaining > 0);
      return found;
    },
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
