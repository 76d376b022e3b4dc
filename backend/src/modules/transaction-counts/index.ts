export { createFoldChangesSweep } from './fold-changes.ts';
export { readCountedPage } from './counted-page.ts';
