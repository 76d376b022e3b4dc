/** A switch of the service that people open and close while it runs. */
export interface Gate {
  /** As the command line has it. */
  readonly name: string;
  /** The setting's name: its file, or its key in the cluster's ConfigMap. */
  readonly setting: string;
  readonly about: string;
  /** What is written to open and to close it. */
  readonly open: string;
  readonly closed: string;
  /** Whether a value opens it, as the service reads it; a missing one never does. */
  isOpenAt(value: string): boolean;
}

const isTrueInAnyCase = (value: string): boolean => value.toLowerCase() === 'true';

export const gates: readonly Gate[] = [
  {
    name: 'sell',
    setting: 'DIGITAL_SELL_ENABLED',
    about: 'customers may sell gold',
    open: 'true',
    closed: 'false',
    isOpenAt: isTrueInAnyCase,
  },
  {
    name: 'payment',
    setting: 'DIGITAL_GOLD_PAYMENT_ENABLED',
    about: 'customers may buy gold, if nothing blocks readiness',
    open: 'true',
    closed: 'false',
    isOpenAt: isTrueInAnyCase,
  },
  {
    name: 'accounting-posting',
    setting: 'ACCOUNTING_AUTO_POSTING_ENABLED',
    about: 'the ledger may be posted to, once its engine is there',
    open: 'true',
    closed: 'false',
    isOpenAt: (value) => value === 'true',
  },
  {
    name: 'accounting-write',
    setting: 'ACCOUNTING_PORTAL_MODE',
    about: 'accounting staff may write',
    open: 'readwrite',
    closed: 'readonly',
    isOpenAt: (value) => value === 'readwrite',
  },
];

/** A gate as it stands. */
export interface GateState {
  readonly gate: string;
  readonly setting: string;
  readonly isOpen: boolean;
  /** Null where the setting is missing. */
  readonly value: string | null;
}

/** Reads a setting's value; undefined where there is none. One newline at its end is no part. */
export const stateOf = (gate: Gate, raw: string | undefined): GateState => {
  const value = raw?.replace(/\n$/u, '');
  return {
    gate: gate.name,
    setting: gate.setting,
    isOpen: value !== undefined && gate.isOpenAt(value),
    value: value ?? null,
  };
};
