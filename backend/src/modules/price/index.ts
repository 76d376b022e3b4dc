export { createPrice, type PriceModule } from './create-price.ts';
export { type LivePriceReader, verifiablePrice } from './live-price.ts';
export { createPriceFeed, type PriceFeed } from './price-feed.ts';
export { createPriceBroadcast } from './price-broadcast.ts';
export { attachPriceSocket, createSocketGauge } from './price-socket.ts';
export { createPriceAdminRoutes } from './price.admin.routes.ts';
export { findLastTick } from './price.store.ts';
export type { LivePrice } from './price.types.ts';
export { presentPrice, priceView } from './price.schemas.ts';
