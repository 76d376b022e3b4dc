import { valueOptions, type CompletedCommand, type CompletedOption } from './command-tree.ts';
import { brief, quoted } from './shell-text.ts';

const optionWords = ({ flags, about, takesValue, values }: CompletedOption): string =>
  [
    ...flags.map((flag) =>
      flag.startsWith('--') ? `-l ${flag.slice('--'.length)}` : `-s ${flag.slice(1)}`,
    ),
    ...(takesValue ? ['-x'] : []),
    ...(values.length > 0 ? [`-a ${quoted(values.join(' '))}`] : []),
    `-d ${quoted(brief(about))}`,
  ].join(' ');

const linesOf = ({ path, words, options }: CompletedCommand): string[] => {
  const head = `complete -c goldctl -n ${quoted(`__goldctl_at ${quoted(path)}`)}`;
  return [
    ...words.map(({ word, about }) => `${head} -a ${quoted(word)} -d ${quoted(brief(about))}`),
    ...options.map((option) => `${head} ${optionWords(option)}`),
  ];
};

/** A completion script for fish. */
export const fishCompletion = (commands: readonly CompletedCommand[]): string => {
  const valued = valueOptions(commands).flatMap(({ flags }) => flags);
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion of goldctl
function __goldctl_at
    set -l route
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip -eq 1
            set skip 0
            continue
        end
        if contains -- $word ${valued.join(' ')}
            set skip 1
            continue
        end
        set -l next (string join ' ' -- $route $word)
        contains -- "$next" ${paths.join(' ')}; and set route "$next"
    end
    test "$route" = "$argv[1]"
end
complete -c goldctl -f
${commands.flatMap(linesOf).join('\n')}
`;
};
