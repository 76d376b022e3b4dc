/** A feature flag of the clients; the service itself reads none. */
export interface Flag {
  readonly key: string;
  readonly enabled: boolean;
  readonly description: string | null;
  readonly updatedAt: Date;
}
