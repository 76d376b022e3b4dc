import type { RequestHandler } from 'express';

/**
 * Several middlewares as one, each after the one before has called `next`. For what every request
 * passes: Express takes longer to find the next of them than most of them take.
 */
export const inTurn = (...middlewares: readonly RequestHandler[]): RequestHandler =>
  middlewares.reduceRight((rest, first) => (req, res, next) => {
    const goOn = (error?: unknown): void => {
      if (error === undefined) void rest(req, res, next);
      else next(error);
    };
    return first(req, res, goOn);
  });
