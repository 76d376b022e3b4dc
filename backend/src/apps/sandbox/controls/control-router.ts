import express, { type Router } from 'express';
import type { SandboxParts } from '../sandbox-parts.ts';
import { clockControls } from './clock-controls.ts';
import { faultControls } from './fault-controls.ts';
import { overviewControls } from './overview-controls.ts';
import { paymentControls } from './payment-controls.ts';
import { payoutControls } from './payout-controls.ts';
import { priceControls } from './price-controls.ts';
import { recordControls } from './record-controls.ts';
import { runControls } from './run-controls.ts';
import { transactionControls } from './transaction-controls.ts';

const bodyLimitBytes = 2 * 1024 * 1024;

/** Serves the sandbox's own controls (contract: collaborators > Sandbox controls). */
export const controlRouter = (parts: SandboxParts): Router => {
  const router = express.Router();
  router.use(express.raw({ type: () => true, limit: bodyLimitBytes }));
  clockControls(router, parts);
  priceControls(router, parts);
  faultControls(router, parts);
  paymentControls(router, parts);
  payoutControls(router, parts);
  transactionControls(router, parts);
  runControls(router, parts);
  recordControls(router, parts);
  overviewControls(router, parts);
  return router;
};
