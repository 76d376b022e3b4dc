import type { JsonObject } from '../../platform/jobs/index.ts';

/** The actor of an audit row. `api` names the table of `id`. `system` is the service itself. */
interface AuditActor {
  readonly api: 'admin' | 'accounting' | 'customer' | 'system';
  readonly id?: string;
  readonly email?: string;
  readonly role?: string;
}

export interface AuditEntry {
  /** The name of the action, such as `devops.deploy.trigger`. */
  readonly action: string;
  readonly actor: AuditActor;
  readonly target?: { readonly type: string; readonly id: string };
  /** REFUSED for a request that was refused. The default is DONE. */
  readonly outcome?: 'DONE' | 'REFUSED';
  /** Must contain no secret, no personal data and no free text. `sealed` has the latter two. */
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  /** The fields of `before` and `after` with personal data, or with free text of an operator. */
  readonly sealed?: { readonly before?: JsonObject; readonly after?: JsonObject };
  /** The customer whose key seals `sealed`. If it is absent, the service key is used. */
  readonly sealedFor?: string;
  readonly requestId: string;
  readonly ip?: string;
}

/** A request that was refused before its sender was identified. */
export interface Refusal {
  readonly action: string;
  readonly api: AuditActor['api'];
  /** The client's address. */
  readonly ip: string;
  readonly requestId: string;
  /** Must contain no secret and no personal data. Hashes of personal data are allowed. */
  readonly after: JsonObject;
  /** The number of refusals that are recorded at once. The default is 1. */
  readonly times?: number;
}
