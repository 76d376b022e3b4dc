export { createUseBound, createUsePurge, type UseBound } from './use-bound.ts';
