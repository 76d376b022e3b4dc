import type { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.ts';
import { control, controlBody } from './control.ts';
import { runConclusions } from '../core/run-simulator.ts';
import type { SandboxParts } from '../sandbox-parts.ts';

const listedCount = 100;
const endSchema = z.object({ conclusion: z.enum(runConclusions) });

/** Adds `/_control/runs`, which lists and ends the runs of the CI system. */
export const runControls = (router: Router, { runSimulator }: SandboxParts): void => {
  router.get(
    '/runs',
    control(() => ({ body: { items: runSimulator.runs(listedCount) } })),
  );
  router.post(
    '/runs/:id',
    control((req) => {
      const { conclusion } = controlBody(req, endSchema);
      const ended = runSimulator.end(String(req.params['id']), conclusion);
      if (ended === undefined) throw new AppError('NOT_FOUND');
      return { body: ended };
    }),
  );
};
