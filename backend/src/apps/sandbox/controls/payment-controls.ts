import type { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.ts';
import { validationError } from '../../../platform/http/validate-input.ts';
import { control, controlBody, controlQuery, countQuery } from './control.ts';
import { deliverModes, type PlayedReversal } from '../core/checkout-simulator.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const amountPaise = z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional();

const paymentSchema = z.object({
  outcome: z.enum(['captured', 'failed']),
  method: z.string().min(1).max(40).optional(),
  amountPaise,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/u)
    .optional(),
  deliver: z.enum(deliverModes).optional(),
  delayMs: z.number().int().min(0).max(600_000).optional(),
});

const reversalSchema = z.object({
  amountPaise,
  deliver: z.enum(['webhook', 'none', 'duplicate']).optional(),
});

const firstOf = <T, R>(items: readonly T[], find: (item: T) => R | undefined): R => {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  throw new AppError('NOT_FOUND');
};

/** Returns a reversal as the response, or refuses a reversal of more than the remaining amount. */
const reversalAnswer = (played: PlayedReversal) => {
  if (!('leftPaise' in played)) return { body: played };
  const message = `only ${played.leftPaise} paise can still be paid back`;
  throw validationError([{ field: 'amountPaise', message }]);
};

/**
 * Adds `/_control/payments`, `/_control/refunds` and `/_control/disputes`, which play a gateway and
 * its customer.
 */
export const paymentControls = (router: Router, { checkoutSimulators }: SandboxParts): void => {
  router.post(
    '/payments/:gatewayOrderId',
    control((req) => {
      const play = controlBody(req, paymentSchema);
      const id = String(req.params['gatewayOrderId']);
      const played = firstOf(checkoutSimulators, (simulator) => simulator.play(id, play));
      if (!('refused' in played)) return { body: played };
      throw validationError([{ field: 'outcome', message: played.refused }]);
    }),
  );
  router.get(
    '/payments',
    control((req) => {
      const { limit } = controlQuery(req, countQuery);
      return {
        body: { items: checkoutSimulators.flatMap((simulator) => simulator.payments(limit)) },
      };
    }),
  );
  router.post(
    '/refunds/:gatewayPaymentId',
    control((req) => {
      const play = controlBody(req, reversalSchema);
      const id = String(req.params['gatewayPaymentId']);
      return reversalAnswer(firstOf(checkoutSimulators, (simulator) => simulator.refund(id, play)));
    }),
  );
  router.post(
    '/disputes/:gatewayPaymentId',
    control((req) => {
      const play = controlBody(req, reversalSchema);
      const id = String(req.params['gatewayPaymentId']);
      const lost = firstOf(checkoutSimulators, (simulator) => simulator.loseDispute(id, play));
      return reversalAnswer(lost);
    }),
  );
  router.get(
    '/checkouts',
    control(() => ({ body: { items: openCheckouts(checkoutSimulators) } })),
  );
};

const openCheckouts = (checkoutSimulators: SandboxParts['checkoutSimulators']) =>
  checkoutSimulators
    .flatMap((simulator) => simulator.checkouts(100))
    .filter((checkout) => !checkout.isPaid);
