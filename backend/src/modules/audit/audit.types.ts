import type { JsonObject } from '../../platform/jobs/index.ts';

/** Operators and portal users are people in two stores of their own; `system` is the service. */
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
  /** REFUSED for a request that a guard refused; DONE by default. */
  readonly outcome?: 'DONE' | 'REFUSED';
  /** Must hold no secrets, and no personal data in the clear. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly requestId: string;
  readonly ip?: string;
}
