import type { AdapterDeps } from '../adapters/adapter-deps.ts';
import type { Runtime } from './create-runtime.ts';

export const adapterDeps = ({ clock, logger, metrics }: Runtime): AdapterDeps => ({
  clock,
  logger,
  observe: metrics.observeCall,
});
