import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../sessions/session-actions.ts');

/** Creates `goldctl login`, which stores a sign-in for the commands that follow. */
export const createLoginCommand = (deps: CliDeps): Command =>
  new Command('login')
    .addHelpText(
      'after',
      `
Examples:
  $ goldctl login --email asha@example.com --admin-url https://admin.example.com
  $ goldctl login                         # of a local stack: its own super admin`,
    )
    .action(async (_options: unknown, command: Command) => (await load()).logIn(deps, command));

/** Creates `goldctl second-factor`, which sets up the authenticator app of the operator who signed in. */
export const createSecondFactorCommand = (deps: CliDeps): Command => {
  const factor = new Command('second-factor');
  factor
    .command('enrol')
    .description('set up your authenticator app, and print recovery codes')
    .action(async (_options: unknown, command: Command) =>
      (await import('../sessions/enrol-factor.ts')).enrolFactor(deps, command),
    );
  return factor;
};

/** Creates `goldctl logout`, which deletes the stored sign-in. The API has no session to end. */
export const createLogoutCommand = (deps: CliDeps): Command =>
  new Command('logout').action(async (_options: unknown, command: Command) =>
    (await load()).logOut(deps, command),
  );

/** Creates `goldctl whoami`, which shows the stored sign-in and checks that the API still accepts it. */
export const createWhoamiCommand = (deps: CliDeps): Command =>
  new Command('whoami').action(async (_options: unknown, command: Command) =>
    (await load()).showSession(deps, command),
  );
