import type { JsonObject } from '../../platform/jobs/index.ts';

/** Who did it. Operators and portal users are people of two stores; the rest is the service. */
export interface AuditActor {
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
  /** REFUSED for what a guard turned away; DONE unless said. */
  readonly outcome?: 'DONE' | 'REFUSED';
  /** No secrets, no personal data in the clear. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly requestId: string;
  readonly ip?: string;
}
