import { valueOptions, type CompletedCommand } from './command-tree.ts';
import { quoted } from './shell-text.ts';

const candidatesOf = ({ words, options }: CompletedCommand): string =>
  [...words.map(({ word }) => word), ...options.flatMap(({ flags }) => flags)].join(' ');

/** A completion script for bash. */
export const bashCompletion = (commands: readonly CompletedCommand[]): string => {
  const valued = valueOptions(commands);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(` ${path}`));
  const choices = valued.map(
    ({ flags, values }) =>
      `    ${flags.join('|')}) COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$current"))\n` +
      '      return ;;',
  );
  const cases = commands.map(
    (command) =>
      `    ${quoted(command.path === '' ? '' : ` ${command.path}`)}) ` +
      `words=${quoted(candidatesOf(command))} ;;`,
  );
  return `# bash completion of goldctl
_goldctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' skip='' word i
  case "$previous" in
${choices.join('\n')}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
      ${valued.flatMap(({ flags }) => flags).join('|')}) skip=1; continue ;;
    esac
    case "$path $word" in
      ${paths.join('|\\\n      ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _goldctl goldctl
`;
};
