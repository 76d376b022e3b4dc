import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { toSafePaise } from '../../money/index.ts';
import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  namesTag,
  PUBLIC,
  shared,
  type Reply,
  type Route,
} from '../../platform/http/index.ts';
import type { IdentifyCustomer } from '../identity/index.ts';
import { remainingDailyBuys } from '../quotes/index.ts';
import { readGateStates, type Gates } from '../readiness/index.ts';
import { presentBanner, type Limits, type Settings } from '../settings/index.ts';
import { configView, presentAmounts } from './client-config.schemas.ts';

interface ClientConfigDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly wall: Clock;
  readonly settings: Pick<Settings, 'limits' | 'flags' | 'banners'>;
  readonly gates: Gates;
  readonly hasUsableGateway: () => Promise<boolean>;
  readonly identify: IdentifyCustomer;
  readonly minimumAppVersion: string | undefined;
}

type ConfigView = z.output<typeof configView>;

/** A process makes the public response at most once in this time. */
const copyLifeMs = 1000;

/** Proxies may cache the public response for ten seconds. */
const publicCaching = 'public, max-age=10';
/** A client must revalidate a customer's own response each time, by its tag. */
const privateCaching = 'private, no-cache';

const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** The two replies of one view: the view itself, and 304 for a client that already has it. */
interface Replies {
  readonly etag: string;
  readonly full: Reply;
  readonly unchanged: Reply;
}

const repliesOf = (view: ConfigView, cacheControl: string): Replies => {
  const reply = shared(view);
  const etag = tagOf(reply.json ?? '');
  const headers = { etag, 'cache-control': cacheControl, vary: 'Authorization, Origin' };
  return { etag, full: { ...reply, headers }, unchanged: { status: 304, headers } };
};

const chooseReply = ({ etag, full, unchanged }: Replies, headers: IncomingHttpHeaders): Reply => {
  const tags = headers['if-none-match'];
  return tags !== undefined && namesTag(tags, etag) ? unchanged : full;
};

/** The public response, with the limits that a customer's own response needs. */
interface Copy {
  readonly madeAt: Date;
  readonly limits: Limits;
  readonly view: ConfigView;
  readonly replies: Replies;
}

/** Keeps the public response for `copyLifeMs`. Concurrent requests wait for the same read. */
const createCopies = (deps: ClientConfigDeps) => {
  const { wall, settings } = deps;
  let copy: Copy | undefined;
  let reading: Promise<Copy> | undefined;

  const read = async (): Promise<Copy> => {
    const madeAt = wall.now();
    const [limits, flags, banners, gates] = await Promise.all([
      settings.limits.current(),
      settings.flags.list(),
      settings.banners.listLive(),
      readGateStates(deps),
    ]);
    const { checkout_available: hasCheckout, ...states } = gates;
    const visible = flags.filter(({ isPublic }) => isPublic);
    const view: ConfigView = {
      ...presentAmounts(limits),
      dailyBuyRemainingPaise: null,
      flags: Object.fromEntries(visible.map(({ key, enabled }) => [key, enabled])),
      banners: banners.map(presentBanner),
      gates: { checkout: hasCheckout ? 'OPEN' : 'CLOSED', ...states },
      minimumAppVersion: deps.minimumAppVersion ?? null,
    };
    copy = { madeAt, limits, view, replies: repliesOf(view, publicCaching) };
    return copy;
  };

  const freshCopy = (): Copy | undefined =>
    copy !== undefined && Math.abs(msBetween(copy.madeAt, wall.now())) < copyLifeMs
      ? copy
      : undefined;

  return {
    /** Returns the copy if it is fresh, without any wait. */
    freshCopy,
    /** Returns the fresh copy, and makes it if there is none. */
    async current(): Promise<Copy> {
      const fresh = freshCopy();
      if (fresh !== undefined) return fresh;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
};

/** Declares `GET /config` (contract: customers > Client configuration). */
export const createClientConfigCustomerRoutes = (deps: ClientConfigDeps): Route[] => {
  const { db, clock, identify } = deps;
  const copies = createCopies(deps);

  const replyOf = async (headers: IncomingHttpHeaders): Promise<Reply> => {
    const { view, limits, replies } = await copies.current();
    if (headers.authorization === undefined) return chooseReply(replies, headers);
    const customer = await identify(headers.authorization);
    // The public response would not show a client that it has to refresh its token.
    if (customer === undefined) {
      throw new AppError('UNAUTHENTICATED', { headers: { 'www-authenticate': 'Bearer' } });
    }
    const remaining = await remainingDailyBuys(db, customer.userId, limits, clock.now());
    const ownView = { ...view, dailyBuyRemainingPaise: toSafePaise(remaining) };
    return chooseReply(repliesOf(ownView, privateCaching), headers);
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/config',
      summary: 'The limits, gates, feature flags and banners that a client needs',
      tags: ['public'],
      access: PUBLIC,
      responses: { 200: configView, 304: null },
      errors: ['BUSY', 'UNAUTHENTICATED'],
      atHand: (headers) => {
        if (headers.authorization !== undefined) return undefined;
        const copy = copies.freshCopy();
        return copy === undefined ? undefined : chooseReply(copy.replies, headers);
      },
      handler: ({ context }) => replyOf(context.headers),
    }),
  ];
};
