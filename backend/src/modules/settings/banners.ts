import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { exampleOf, moment, plainLine, plainText } from '../../platform/http/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Banner } from './settings.types.ts';
import { type SettingDeps, lockSetting } from './settings.store.ts';

const maxUrlLength = 2048;

/**
 * Returns true for an https address without credentials, or for a path of the client's own host. A
 * path begins with a single slash, since two slashes or a backslash would name another host.
 */
const isSafeAddress = (text: string): boolean => {
  if (/[\s\p{Cc}\\]/u.test(text)) return false;
  if (text.startsWith('/')) return !text.startsWith('//');
  if (!/^https:\/\//iu.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
};

/** Accepts an address that a client may open. It refuses `javascript:`, `data:` and plain http. */
export const safeAddress = z
  .string()
  .min(1, 'must not be empty')
  .max(maxUrlLength, `must have at most ${maxUrlLength} characters`)
  .refine(isSafeAddress, 'must be an https:// address or a path');

const maxPosition = 1_000_000;

const exampleBanner = {
  title: 'Diwali offer',
  body: 'No making charges until Sunday.',
  imageUrl: 'https://cdn.example.test/diwali.png',
  linkUrl: '/products',
  active: true,
  position: 1,
  startsAt: '2026-11-05T18:30:00.000Z',
  endsAt: '2026-11-08T18:29:59.000Z',
};

/** Accepts a whole banner. A field that is absent is removed. */
export const bannerBody = z
  .object({
    title: plainLine(200),
    body: plainText(2000).nullish(),
    imageUrl: safeAddress.nullish(),
    linkUrl: safeAddress.nullish(),
    active: z.boolean(),
    position: z.int().min(-maxPosition).max(maxPosition).default(0),
    startsAt: moment.nullish(),
    endsAt: moment.nullish(),
  })
  .refine(({ startsAt, endsAt }) => !startsAt || !endsAt || startsAt < endsAt, {
    path: ['endsAt'],
    message: 'must be after startsAt',
  });
bannerBody.register(z.globalRegistry, { id: 'PutBannerRequest', examples: [exampleBanner] });

type BannerBody = z.output<typeof bannerBody>;

/** Accepts the banner's id, which the operator or their portal chooses, such as `diwali-2026`. */
export const bannerParams = z.object({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u),
});

export const bannerView = z.object({
  id: z.string(),
  title: z.string(),
  body: z.string().nullable(),
  imageUrl: z.string().nullable(),
  linkUrl: z.string().nullable(),
  active: z.boolean(),
  position: z.int(),
  startsAt: z.iso.datetime().nullable(),
  endsAt: z.iso.datetime().nullable(),
});
bannerView.register(z.globalRegistry, {
  id: 'Banner',
  description: 'An announcement, shown while it is active and within its window.',
  examples: [{ id: 'diwali-2026', ...exampleBanner }],
});

export const bannersView = z.object({ items: z.array(bannerView) });
bannersView.register(z.globalRegistry, {
  id: 'Banners',
  description: 'Banners, by position.',
  examples: [{ items: [exampleOf(bannerView)] }],
});

export const presentBanner = ({
  startsAt,
  endsAt,
  ...banner
}: Banner): z.output<typeof bannerView> => ({
  ...banner,
  startsAt: startsAt?.toISOString() ?? null,
  endsAt: endsAt?.toISOString() ?? null,
});

export interface BannersService {
  /** Returns every banner, by position. */
  list(): Promise<readonly Banner[]>;
  /** Returns the banners that are live now, by position. */
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

/** Creates the service of the banners. A change applies from the next request on. */
export const createBanners = (deps: SettingDeps): BannersService => {
  const { inTransaction, clock, audit, cacheSetting } = deps;
  const list = cacheSetting('banners', listBanners);
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
        // The audit row has the banner in the clear, because banners are public.
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
