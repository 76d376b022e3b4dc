import { defineRoute, ok, PUBLIC, type Route } from '../../platform/http/index.ts';
import { type BannersService, bannersView, presentBanner } from './banners.ts';

/** Declares `/public/banners` of the customer API. */
export const createBannerCustomerRoutes = (banners: Pick<BannersService, 'listLive'>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/public/banners',
    summary: 'The banners that are live, by position',
    tags: ['public'],
    access: PUBLIC,
    responses: { 200: bannersView },
    handler: async () => ok({ items: (await banners.listLive()).map(presentBanner) }),
  }),
];
