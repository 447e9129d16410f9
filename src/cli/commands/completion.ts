import { Argument, type CommandUnknownOpts, Help } from 'commander'
import { getText, listObjects } from '../../client/json.ts'
import { SCOPES } from '../../core/access/principal.ts'
import { FORMAT_NAMES } from '../../core/tool/format-names.ts'
import { REMOTE_PROTOCOLS } from '../../core/tool/remote-dialect.ts'
import { agentHosts } from '../../docs/agent-hosts.ts'
import { findCommand } from '../command-tree.ts'
import type { AddCommands, CliSession, Open } from '../context.ts'
import { getProfilesFile, readProfiles } from '../profiles.ts'
import { toSingleLine } from '../terminal-text.ts'

/** Scripts that offer the candidates of `switchboard complete` for a command line, or files if there are none. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_switchboard() {
  local IFS=$'\\n'
  COMPREPLY=($(switchboard complete -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null | cut -f 1))
  [[ \${COMPREPLY[0]} == *. ]] && compopt -o nospace
}
complete -o default -F _switchboard switchboard
`,
  zsh: `#compdef switchboard
_switchboard() {
  local -a found
  found=("\${(@f)$(switchboard complete -- "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  local -a suffix
  [[ $found[1] == *.(|:*) ]] && suffix=(-S '')
  if [[ -n $found[1] ]]; then _describe command found $suffix; else _files; fi
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

export const addCompletion: AddCommands = (program, open) => {
  const { writeOut } = program.configureOutput()
  program
    .command('completion')
    .description('print a script that completes commands, options and their values in a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .action((shell) => writeOut?.(SCRIPTS[shell] ?? ''))
  program.command('complete [word...]', { hidden: true }).action(async (words) => {
    // Completion shows no errors
    const candidates = await listCandidates(program, words, open).catch(() => [])
    const matches = candidates.filter(([value]) => value?.startsWith(words.at(-1) ?? ''))
    writeOut?.(matches.map((columns) => `${columns.map((text) => toSingleLine(text, 200)).join('\t')}\n`).join(''))
  })
}

/** Lists the candidates for the last word, with their descriptions if any. */
async function listCandidates(
  program: CommandUnknownOpts,
  words: readonly string[],
  open: Open,
): Promise<readonly (readonly string[])[]> {
  const help = new Help()
  const [current = '', ...earlierWords] = [words.at(-1), ...words.slice(1, -1)]
  const command = findCommand(program, earlierWords)
  const findOption = (word = '') => command.options.find(({ long, required }) => required && long === word)
  const option = findOption(earlierWords.at(-1))
  if (!option && current.startsWith('-'))
    return command.options.map(({ long, description }) => [long ?? '', description])
  if (!option && command.commands.length > 0)
    return help.visibleCommands(command).map((each) => [each.name(), help.subcommandDescription(each)])
  const argument = command.registeredArguments[0]
  const choices = (option ?? argument)?.argChoices
  if (choices) return choices.map((choice) => [choice])
  const [, name = ''] = /<([\w-]+)/.exec(option?.flags ?? `<${argument?.name()}`) ?? []
  const getValue = (long: string) => earlierWords[earlierWords.indexOf(long) + 1 || Infinity]
  const options = { url: getValue('--url'), key: getValue('--key'), profile: getValue('--profile'), timeout: 1 }
  return (CHOICES[name]?.() ?? (await listValues(open(options), name, current))).map((value) => [value])
}

/** Candidates by the name of an argument or an option's value in the help. */
const CHOICES: Readonly<Record<string, () => readonly string[]>> = {
  host: () => agentHosts('').map(({ id }) => id),
  format: () => [...FORMAT_NAMES.keys()],
  dialect: () => REMOTE_PROTOCOLS,
  scope: () => SCOPES,
}
const LISTS: Readonly<Record<string, readonly [path: string, field: string]>> = {
  toolkit: ['/toolkits', 'toolkit'],
  user: ['/users', 'user_id'],
  provider: ['/providers', 'id'],
}

async function listValues({ connection, surroundings }: CliSession, name: string, current: string) {
  if (name === 'profile') return readProfiles(getProfilesFile(surroundings)).map((profile) => String(profile['name']))
  const load = async (path: string, field: string, query = {}) =>
    listObjects(await connection.sendJson({ path, query }), 'items').map((item) => getText(item, field) ?? '')
  const [path, field] = LISTS[name] ?? []
  if (path !== undefined && field !== undefined) return load(path, field, name === 'user' ? { q: current } : {})
  if (name !== 'tool' && name !== 'pattern') return []
  // Toolkits with a dot, then the tools of one: there may be more tools than fit in a page
  const [toolkit, tool] = current.split('.')
  if (tool === undefined) return (await load('/toolkits', 'toolkit')).map((each) => `${each}.`)
  const ids = await load('/tools', 'id', { toolkit, format: 'summary', limit: 1_000 })
  return ids.map((id) => id.replace(/@.*/, ''))
}
