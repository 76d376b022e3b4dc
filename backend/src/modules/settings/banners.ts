import type { Db } from '../../platform/db/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import { presentBanner, type BannerBody } from './banners.schemas.ts';
import type { Banner } from './settings.types.ts';
import type { SettingDeps } from './limits.ts';
import { lockSetting } from './setting-copies.ts';

export interface BannersService {
  /** Returns every banner, by position. */
  list(): Promise<readonly Banner[]>;
  /** Returns the banners that are live at this moment, by position. */
  listLive(): Promise<readonly Banner[]>;
  /** Adds or replaces one banner, with the audit row in the same transaction. */
  put(id: string, banner: BannerBody, by: ByOperator): Promise<Banner>;
}

const columns = {
  id: true,
  title: true,
  body: true,
  imageUrl: true,
  linkUrl: true,
  active: true,
  position: true,
  startsAt: true,
  endsAt: true,
} as const;

const listBanners = (db: Db): Promise<Banner[]> =>
  db.banner.findMany({ orderBy: [{ position: 'asc' }, { id: 'asc' }], select: columns });

const isLive = ({ active, startsAt, endsAt }: Banner, at: Date): boolean =>
  active && (startsAt === null || startsAt <= at) && (endsAt === null || at < endsAt);

/** Creates the banners, whose change counts from the next request on. */
export const createBanners = (deps: SettingDeps): BannersService => {
  const { inTransaction, clock, audit, keepCopy } = deps;
  const list = keepCopy('banners', listBanners);
  return {
    list,

    async listLive() {
      const at = clock.now();
      return (await list()).filter((banner) => isLive(banner, at));
    },

    put: (id, body, { principal, context }) =>
      inTransaction(async (tx) => {
        await lockSetting(tx, 'banners');
        const before = await tx.banner.findUnique({ where: { id }, select: columns });
        const at = clock.now();
        const data = {
          title: body.title,
          body: body.body ?? null,
          imageUrl: body.imageUrl ?? null,
          linkUrl: body.linkUrl ?? null,
          active: body.active,
          position: body.position,
          startsAt: body.startsAt ?? null,
          endsAt: body.endsAt ?? null,
          updatedAt: at,
          updatedBy: principal.adminId,
        };
        const after = await tx.banner.upsert({
          where: { id },
          create: { id, createdAt: at, ...data },
          update: data,
          select: columns,
        });
        // In the clear: a banner is published, and the log says what was.
        await audit.record(tx, {
          action: 'config.banners.put',
          ...adminActor(principal, context),
          target: { type: 'banner', id },
          ...(before !== null && { before: presentBanner(before) }),
          after: presentBanner(after),
        });
        return after;
      }),
  };
};
