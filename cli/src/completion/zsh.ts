import { valueOptions, type CompletedCommand } from './command-tree.ts';
import { brief, quoted } from './shell-text.ts';

const described = (word: string, about: string): string =>
  quoted(`${word.replaceAll(':', String.raw`\:`)}:${brief(about)}`);

const caseOf = ({ path, words, options }: CompletedCommand): string => {
  const listed = words.map(({ word, about }) => described(word, about)).join(' ');
  const flags = options
    .flatMap((option) => option.flags.map((flag) => described(flag, option.about)))
    .join(' ');
  const label = quoted(path === '' ? '' : ` ${path}`);
  return `    ${label})\n      candidates=(${listed})\n      flags=(${flags}) ;;`;
};

/** A completion script for zsh: to be sourced, or a file `_goldctl` on the fpath. */
export const zshCompletion = (commands: readonly CompletedCommand[]): string => {
  const valued = valueOptions(commands);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(` ${path}`));
  const choices = valued.map(
    ({ flags, values }) =>
      `    ${flags.join('|')}) compadd -- ${values.map(quoted).join(' ')}; return ;;`,
  );
  return `#compdef goldctl
# zsh completion of goldctl
_goldctl() {
  local route='' skip='' word i
  local -a candidates flags
  case "\${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$word" in
      ${valued.flatMap(({ flags }) => flags).join('|')}) skip=1; continue ;;
    esac
    case "$route $word" in
      ${paths.join('|\\\n      ')}) route="$route $word" ;;
    esac
  done
  case "$route" in
${commands.map(caseOf).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* || \${#candidates} -eq 0 ]]; then
    _describe -o 'option' flags
  else
    _describe 'command' candidates
  fi
}
if [[ "\${funcstack[1]}" == _goldctl ]]; then
  _goldctl "$@"
else
  compdef _goldctl goldctl
fi
`;
};
