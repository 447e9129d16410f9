import { Argument, type CommandUnknownOpts, Help } from 'commander'
import type { AddCommands } from '../context.ts'

/** Each has `switchboard complete` list what may follow the words of a command line, and else offers files. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_switchboard() {
  local IFS=$'\\n'
  COMPREPLY=($(switchboard complete -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f 1))
}
complete -o default -F _switchboard switchboard
`,
  zsh: `#compdef switchboard
_switchboard() {
  local -a found
  found=("\${(@f)$(switchboard complete -- "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n $found[1] ]]; then _describe command found; else _files; fi
}
compdef _switchboard switchboard
`,
  fish: `function __switchboard_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (switchboard complete -- $words 2>/dev/null)
  test -n "$found" && printf '%s\\n' $found || __fish_complete_path (commandline -ct)
end
complete -c switchboard -f -a '(__switchboard_complete)'
`,
}

export const addCompletion: AddCommands = (program) => {
  const { writeOut } = program.configureOutput()
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .action((shell) => writeOut?.(SCRIPTS[shell] ?? ''))
  program.command('complete [word...]', { hidden: true }).action((words) =>
    writeOut?.(
      listCandidates(program, words)
        .map((line) => `${line}\n`)
        .join(''),
    ),
  )
}

/** What may stand in place of the last word, with a description after a tab. */
function listCandidates(program: CommandUnknownOpts, words: readonly string[]): readonly string[] {
  const help = new Help()
  let command = program
  for (const word of words.slice(1, -1))
    command = command.commands.find((each) => each.name() === word || each.aliases().includes(word)) ?? command
  const [previous, current = ''] = words.slice(-2)
  const isValue = command.options.some(({ long, required }) => required && long === previous)
  const candidates = current.startsWith('-')
    ? command.options.map(({ long, description }) => [long ?? '', description])
    : command.commands.length > 0
      ? help.visibleCommands(command).map((each) => [each.name(), help.subcommandDescription(each)])
      : command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((choice) => [choice]))
  return isValue ? [] : candidates.filter(([name]) => name?.startsWith(current)).map((columns) => columns.join('\t'))
}
