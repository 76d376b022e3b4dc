/** A switch that operators open and close while the service runs. */
export interface Gate {
  /** The gate's name on the command line. */
  readonly name: string;
  /** The setting's name, which is its file, or its key in the cluster's ConfigMap. */
  readonly setting: string;
  readonly about: string;
  /** The values that open and close the gate. */
  readonly open: string;
  readonly closed: string;
  /** Returns true if the service treats a value as open. A missing value never opens a gate. */
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
    about: 'the ledger may be posted to, once there is a posting engine',
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

/** The state of a gate. */
export interface GateState {
  readonly gate: string;
  readonly setting: string;
  readonly isOpen: boolean;
  /** Null if the setting is missing. */
  readonly value: string | null;
}

/** Returns the state of a gate for a setting's value. A newline at the end is ignored. */
export const stateOf = (gate: Gate, raw: string | undefined): GateState => {
  const value = raw?.replace(/\n$/u, '');
  return {
    gate: gate.name,
    setting: gate.setting,
    isOpen: value !== undefined && gate.isOpenAt(value),
    value: value ?? null,
  };
};
