import type { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.ts';
import { control, controlBody, controlQuery, countQuery } from './control.ts';
import {
  payoutDeliverModes,
  payoutOutcomes,
  validationOutcomes,
} from '../core/payout-simulator.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const delivery = {
  deliver: z.enum(payoutDeliverModes).optional(),
  delayMs: z.number().int().min(0).max(600_000).optional(),
};
const payoutSchema = z.object({ outcome: z.enum(payoutOutcomes), ...delivery });
const validationSchema = z.object({ outcome: z.enum(validationOutcomes), ...delivery });

const requireFound = <T>(value: T | undefined): T => {
  if (value === undefined) throw new AppError('NOT_FOUND');
  return value;
};

/**
 * Adds `/_control/payouts` and `/_control/validations`, which list and end payouts and penny-drops.
 */
export const payoutControls = (router: Router, { payoutSimulator }: SandboxParts): void => {
  router.get(
    '/payouts',
    control((req) => {
      const { limit } = controlQuery(req, countQuery);
      return { body: { items: payoutSimulator.payouts(limit) } };
    }),
  );
  router.post(
    '/payouts/:id',
    control((req) => {
      const play = controlBody(req, payoutSchema);
      return { body: requireFound(payoutSimulator.play(String(req.params['id']), play)) };
    }),
  );
  router.get(
    '/validations',
    control((req) => {
      const { limit } = controlQuery(req, countQuery);
      return { body: { items: payoutSimulator.validations(limit) } };
    }),
  );
  router.post(
    '/validations/:bankAccountId',
    control((req) => {
      const play = controlBody(req, validationSchema);
      return {
        body: requireFound(
          payoutSimulator.playValidation(String(req.params['bankAccountId']), play),
        ),
      };
    }),
  );
};
