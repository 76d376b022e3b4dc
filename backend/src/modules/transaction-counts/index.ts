export { createFoldChanges } from './fold-changes.ts';
export { readCountedPage } from './counted-page.ts';
