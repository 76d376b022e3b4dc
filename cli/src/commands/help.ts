import { Command } from 'commander';
import type { CliDeps } from '../cli-deps.ts';

const load = () => import('../help/help-actions.ts');

const help = `
Topics: "goldctl help topics" lists them. "goldctl help checks" explains every check, "goldctl help
checks <id>" one of them, and "goldctl help runbook <name>" shows what to do when something fails.
With --json it prints commands, options, exit codes and the schema of each command's JSON.

Examples:
  $ goldctl help gates open
  $ goldctl help checks price-feed
  $ goldctl help runbook redis-down
  $ goldctl help --json | jq '.commands[].name'`;

/** Creates `goldctl help`, which shows the help of a command, a topic, or the description for programs. */
export const createHelpCommand = (deps: CliDeps): Command =>
  new Command('help')
    .argument('[words...]', 'a command, or a topic')
    .option('--json', 'describe the commands for programs')
    .addHelpText('after', help)
    .action(
      async (words: readonly string[], { json = false }: { json?: boolean }, self: Command) => {
        const program = self.parent;
        if (program === null) return;
        const { showHelp, showHelpAsJson } = await load();
        if (json) await showHelpAsJson(deps, words);
        else await showHelp(deps, program, words);
      },
    );
