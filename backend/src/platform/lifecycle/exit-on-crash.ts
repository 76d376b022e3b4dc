import type { Logger } from '../observability/logger.ts';

/**
 * After an error that nobody caught the process can't vouch for its state: it says so and exits
 * with 1, and is started anew. What it was doing is in the database.
 */
export const exitOnCrash = (logger: Logger): void => {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  process.on('unhandledRejection', (reason) => {
    logger.fatal({ err: reason }, 'unhandled rejection');
    process.exit(1);
  });
};
