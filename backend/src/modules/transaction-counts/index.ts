export { createFoldChangesSweep } from './transaction-counts.sweeps.ts';
export { readCountedPage } from './counted-page.ts';
