import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { exampleOf, plainText } from '../../platform/http/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Flag } from './settings.types.ts';
import { type SettingDeps, lockSetting } from './settings.store.ts';

export const flagBody = z.object({
  key: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9._-]{0,63}$/u,
      'must be a letter and at most 63 letters, digits or . _ -',
    ),
  enabled: z.boolean(),
  description: plainText(500).or(z.literal('')).nullish(),
  public: z.boolean().optional(),
});
flagBody.register(z.globalRegistry, {
  id: 'PutFeatureFlagRequest',
  examples: [
    { key: 'newCheckout', enabled: true, description: 'The checkout of version 3.', public: true },
  ],
});

type FlagBody = z.output<typeof flagBody>;

export const flagView = z.object({
  key: z.string(),
  enabled: z.boolean(),
  description: z.string().nullable(),
  public: z.boolean(),
  updatedAt: z.iso.datetime(),
});
flagView.register(z.globalRegistry, {
  id: 'FeatureFlag',
  description: 'A flag for clients. It does not change the behaviour of the service.',
  examples: [
    {
      key: 'newCheckout',
      enabled: true,
      description: 'The checkout of version 3.',
      public: true,
      updatedAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const flagsView = z.object({ items: z.array(flagView) });
flagsView.register(z.globalRegistry, {
  id: 'FeatureFlags',
  description: 'Every flag, by key.',
  examples: [{ items: [exampleOf(flagView)] }],
});

export const presentFlag = ({ updatedAt, isPublic, ...flag }: Flag): z.output<typeof flagView> => ({
  ...flag,
  public: isPublic,
  updatedAt: updatedAt.toISOString(),
});

export interface FlagsService {
  /** Returns all flags, sorted by key. */
  list(): Promise<readonly Flag[]>;
  /**
   * Adds or changes a flag, with the audit row in the same transaction. If `description` or `public`
   * is left out, its earlier value stays. A null `description` removes the description.
   */
  put(flag: FlagBody, by: ByOperator): Promise<Flag>;
}

const columns = {
  key: true,
  enabled: true,
  description: true,
  isPublic: true,
  updatedAt: true,
} as const;

const listFlags = (db: Db): Promise<Flag[]> =>
  db.featureFlag.findMany({ orderBy: { key: 'asc' }, select: columns });

/** Seals the description in the audit row, because it is an operator's free text. */
const auditPart = (part: 'before' | 'after', { enabled, isPublic, description }: Flag) => ({
  clear: { [part]: { enabled, public: isPublic } },
  sealed: { [part]: { description } },
});

/** Creates the service of the feature flags. A change applies from the next request on. */
export const createFlags = (deps: SettingDeps): FlagsService => {
  const { inTransaction, clock, audit, cacheSetting } = deps;
  return {
    list: cacheSetting('flags', listFlags),

    put: ({ key, enabled, description, public: isPublic }, { principal, context }) =>
      inTransaction(async (tx) => {
        await lockSetting(tx, 'flags');
        const before = await tx.featureFlag.findUnique({ where: { key }, select: columns });
        const data = {
          enabled,
          description: description === undefined ? (before?.description ?? null) : description,
          isPublic: isPublic ?? before?.isPublic ?? false,
          updatedAt: clock.now(),
          updatedBy: principal.adminId,
        };
        const after = await tx.featureFlag.upsert({
          where: { key },
          create: { key, ...data },
          update: data,
          select: columns,
        });
        const oldPart = before === null ? undefined : auditPart('before', before);
        const newPart = auditPart('after', after);
        await audit.record(tx, {
          action: 'config.feature-flags.put',
          ...adminActor(principal, context),
          target: { type: 'feature_flag', id: key },
          ...oldPart?.clear,
          ...newPart.clear,
          sealed: { ...oldPart?.sealed, ...newPart.sealed },
        });
        return after;
      }),
  };
};
