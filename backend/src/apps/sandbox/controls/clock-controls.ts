import type { Router } from 'express';
import { z } from 'zod';
import { control, controlBody } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import type { MovableClock } from '../state/movable-clock.ts';

const tenYearsSeconds = 315_576_000;

const clockSchema = z
  .object({
    advanceSeconds: z.number().min(-tenYearsSeconds).max(tenYearsSeconds).optional(),
    set: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ advanceSeconds, set }) => (advanceSeconds === undefined) !== (set === undefined), {
    path: ['advanceSeconds'],
    message: 'give either advanceSeconds or set',
  });

/** Shows the clock as `GET /_control/clock` returns it. */
export const clockView = (clock: MovableClock) => ({
  now: clock.now().toISOString(),
  offsetSeconds: clock.offsetMs() / 1000,
});

/** Adds `/_control/clock`, which moves the clock that every process with CLOCK_CONTROL follows. */
export const clockControls = (router: Router, { clock, changed }: SandboxParts): void => {
  router.get(
    '/clock',
    control(() => ({ body: clockView(clock) })),
  );
  router.post(
    '/clock',
    control((req) => {
      const { advanceSeconds, set } = controlBody(req, clockSchema);
      if (advanceSeconds !== undefined) clock.advanceSeconds(advanceSeconds);
      if (set !== undefined) clock.set(new Date(set));
      changed();
      return { body: clockView(clock) };
    }),
  );
  router.delete(
    '/clock',
    control(() => {
      clock.reset();
      changed();
      return { body: clockView(clock) };
    }),
  );
};
