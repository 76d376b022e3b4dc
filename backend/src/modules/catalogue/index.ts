export { findOrderableProducts } from './catalogue.read-model.ts';
export type { OrderableProduct, PricingMode, ProductPricing } from './catalogue.types.ts';
