import type { JsonObject } from '../../platform/jobs/index.ts';

/** Operators and portal users are people in two stores of their own. `system` is the service. */
interface AuditActor {
  readonly api: 'admin' | 'accounting' | 'customer' | 'system';
  readonly id?: string;
  readonly email?: string;
  readonly role?: string;
}

export interface AuditEntry {
  /** Such as `devops.deploy.trigger`. */
  readonly action: string;
  readonly actor: AuditActor;
  readonly target?: { readonly type: string; readonly id: string };
  /** REFUSED for a request that a guard refused, or DONE by default. */
  readonly outcome?: 'DONE' | 'REFUSED';
  /** Must hold no secret, no personal data and no free text: those go to `sealed`. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** Personal data, and free text that an operator wrote: part of `before` and `after`, sealed. */
  readonly sealed?: { readonly before?: JsonObject; readonly after?: JsonObject };
  /** The customer whose key seals `sealed`. Without one it is the service key. */
  readonly sealedFor?: string;
  readonly requestId: string;
  readonly ip?: string;
}

/** A request that was refused before anybody was known to have sent it. */
export interface Refusal {
  readonly action: string;
  readonly api: AuditActor['api'];
  /** The client's address. */
  readonly ip: string;
  readonly requestId: string;
  /** Holds no secret and no personal data: a hash of what was typed, at most. */
  readonly after: JsonObject;
  /** The number of refusals that are recorded at once. The default is 1. */
  readonly times?: number;
}
