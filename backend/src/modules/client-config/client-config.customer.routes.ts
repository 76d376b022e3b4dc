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

/** Everybody's answer is made again at most once in this time of each process. */
const copyLifeMs = 1000;

/** Caches on the way may keep everybody's answer for ten seconds. */
const forEverybody = 'public, max-age=10';
/** A customer's own response must be revalidated each time, by its tag. */
const forOne = 'private, no-cache';

const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;

/** The two answers of one view: itself, and that the client has it. */
interface Replies {
  readonly etag: string;
  readonly whole: Reply;
  readonly unchanged: Reply;
}

const repliesOf = (view: ConfigView, cacheControl: string): Replies => {
  const reply = shared(view);
  const etag = tagOf(reply.json ?? '');
  const headers = { etag, 'cache-control': cacheControl, vary: 'Authorization, Origin' };
  return { etag, whole: { ...reply, headers }, unchanged: { status: 304, headers } };
};

const choose = ({ etag, whole, unchanged }: Replies, headers: IncomingHttpHeaders): Reply => {
  const known = headers['if-none-match'];
  return known !== undefined && namesTag(known, etag) ? unchanged : whole;
};

interface Copy {
  readonly at: Date;
  readonly limits: Limits;
  readonly view: ConfigView;
  readonly replies: Replies;
}

/** Keeps everybody's answer for `copyLifeMs`. Those who come meanwhile wait for one reading. */
const createCopies = (deps: ClientConfigDeps) => {
  const { wall, settings } = deps;
  let copy: Copy | undefined;
  let reading: Promise<Copy> | undefined;

  const read = async (): Promise<Copy> => {
    const at = wall.now();
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
    copy = { at, limits, view, replies: repliesOf(view, forEverybody) };
    return copy;
  };

  const atHand = (): Copy | undefined =>
    copy !== undefined && Math.abs(msBetween(copy.at, wall.now())) < copyLifeMs ? copy : undefined;

  return {
    atHand,
    async current(): Promise<Copy> {
      const kept = atHand();
      if (kept !== undefined) return kept;
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
    if (headers.authorization === undefined) return choose(replies, headers);
    const customer = await identify(headers.authorization);
    // Everybody's answer would keep a client from learning that its token has to be refreshed.
    if (customer === undefined) {
      throw new AppError('UNAUTHENTICATED', { headers: { 'www-authenticate': 'Bearer' } });
    }
    const left = await remainingDailyBuys(db, customer.userId, limits, clock.now());
    const own = { ...view, dailyBuyRemainingPaise: toSafePaise(left) };
    return choose(repliesOf(own, forOne), headers);
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
        const copy = copies.atHand();
        return copy === undefined ? undefined : choose(copy.replies, headers);
      },
      handler: ({ context }) => replyOf(context.headers),
    }),
  ];
};
