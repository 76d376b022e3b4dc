import { z } from 'zod';

/* The documents that the service's operator command prints for look-ups. */

export const databaseStatus = z.looseObject({
  version: z.string(),
  readOnly: z.boolean(),
  timeZone: z.string(),
  connections: z.int(),
  maxConnections: z.int(),
});
export type DatabaseStatus = z.output<typeof databaseStatus>;

export const databaseRules = z.looseObject({
  rules: z.int(),
  broken: z.array(
    z.looseObject({ invariant: z.string(), says: z.string(), row: z.looseObject({}) }),
  ),
});

export const migrationStatus = z.looseObject({
  pending: z.array(z.string()),
  failed: z.array(
    z.looseObject({ name: z.string(), startedAt: z.string(), reason: z.string().nullable() }),
  ),
});
export type MigrationStatus = z.output<typeof migrationStatus>;

const keyUse = z.looseObject({
  kind: z.string(),
  keyId: z.string().nullable(),
  count: z.int(),
});

export const keyUses = z.looseObject({
  items: z.array(keyUse),
  coolDownsUntil: z.string().nullable(),
});

export const ticks = z.looseObject({
  items: z.array(
    z.looseObject({
      seq: z.string(),
      mark: z.string(),
      asOf: z.string(),
      ageSeconds: z.int(),
    }),
  ),
});

export const overdueDebits = z.looseObject({
  items: z.array(
    z.looseObject({
      paymentOrderId: z.string(),
      orderId: z.string(),
      gateway: z.string(),
      gatewayOrderId: z.string().nullable(),
      debitStatus: z.string().nullable(),
      dueAt: z.string(),
      sentAt: z.string().nullable(),
      askedAt: z.string().nullable(),
      expiresAt: z.string().nullable(),
    }),
  ),
});

export const codeAddresses = z.looseObject({
  items: z.array(z.looseObject({ address: z.string().nullable(), count: z.int() })),
});

/** An audit row without personal data. */
export const auditRow = z.looseObject({
  id: z.string(),
  action: z.string(),
  outcome: z.string(),
  actorApi: z.string(),
  actorId: z.string().nullable(),
  actorRole: z.string().nullable(),
  targetType: z.string().nullable(),
  targetId: z.string().nullable(),
  requestId: z.string().nullable(),
  at: z.string(),
});

export const auditEntry = z.looseObject({
  number: z.string(),
  hash: z.string(),
  metric: z.string(),
  row: auditRow.nullable(),
});

export const keyringStatus = z.looseObject({
  keyId: z.string(),
  outdated: z.record(z.string(), z.int()),
});
