export { findOrderableProducts, selectUnchangedProducts } from './catalogue.read-model.ts';
export { priceOfProduct } from './price-of-product.ts';
export type { OrderableProduct, PricingMode, ProductPricing } from './catalogue.types.ts';
