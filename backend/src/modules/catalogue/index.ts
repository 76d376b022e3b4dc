export { findOrderableProducts, lockUnchangedProductsSql } from './find-products.ts';
export { createImageRemoval, createRepricing } from './catalogue.sweeps.ts';
export type { OrderableProduct } from './catalogue.types.ts';
export { createCatalogue, createCatalogueAdmin } from './create-catalogue.ts';
export { priceOfProduct } from './price-product.ts';
export { lockStock } from './stock.store.ts';
export { putImage } from './upload-image.ts';
