import { Argument, type CommandUnknownOpts, Help } from 'commander'
import { getText, listObjects } from '../../client/json.ts'
import { FORMAT_NAMES } from '../../core/tool/format-names.ts'
import { REMOTE_PROTOCOLS } from '../../core/tool/remote-dialect.ts'
import { agentHosts } from '../../docs/agent-hosts.ts'
import { SCOPE_NAMES } from '../argument-values.ts'
import { findCommand } from '../command-tree.ts'
import type { AddCommands, CliSession, Open } from '../context.ts'
import { getProfilesFile, readProfiles } from '../profiles.ts'
import { toSingleLine } from '../terminal-text.ts'

/** Each has `switchboard complete` list what may follow the words of a command line, and else offers files. */
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
    const current = words.at(-1) ?? ''
    const candidates = (await listCandidates(program, words, open)).filter(([value]) => value.startsWith(current))
    writeOut?.(
      candidates.map((columns) => `${columns.map((text = '') => toSingleLine(text, 200)).join('\t')}\n`).join(''),
    )
  })
}

/** A value, and what it is. */
type Candidate = readonly [value: string, description?: string | undefined]

/** What may stand in place of the last word. */
async function listCandidates(
  program: CommandUnknownOpts,
  words: readonly string[],
  open: Open,
): Promise<readonly Candidate[]> {
  const help = new Help()
  const earlierWords = words.slice(1, -1)
  const command = findCommand(program, earlierWords)
  const findOption = (word = '') => command.options.find(({ long, required }) => required && long === word)
  const option = findOption(earlierWords.at(-1))
  const current = words.at(-1) ?? ''
  if (!option && current.startsWith('-'))
    return command.options.map(({ long, description }) => [long ?? '', description])
  if (!option && command.commands.length > 0)
    return help.visibleCommands(command).map((each) => [each.name(), help.subcommandDescription(each)])
  const values = earlierWords.filter((word, at) => !word.startsWith('-') && !findOption(earlierWords[at - 1]))
  const depth = command.parent?.parent ? 2 : 1
  const argument = command.registeredArguments[values.length - depth] ?? command.registeredArguments.at(-1)
  const { argChoices } = option ?? argument ?? {}
  if (argChoices) return argChoices.map((choice) => [choice])
  const [, name = ''] = /<([\w-]+)/.exec(option?.flags ?? `<${argument?.name()}`) ?? []
  const getValue = (long: string) => earlierWords[earlierWords.indexOf(long) + 1 || Infinity]
  const options = { url: getValue('--url'), key: getValue('--key'), profile: getValue('--profile'), timeout: 1 }
  try {
    return (await VALUES[name]?.(() => open(options), current)) ?? []
  } catch {
    // A shell shows no errors
    return []
  }
}

const toCandidates = (values: Iterable<string>) => Array.from(values, (value): Candidate => [value])

/** By the names that arguments and the values of options have in the help. */
const VALUES: Readonly<
  Record<
    string,
    (openSession: () => CliSession, current: string) => readonly Candidate[] | Promise<readonly Candidate[]>
  >
> = {
  tool: listTools,
  pattern: listTools,
  toolkit: listToolkits,
  user: (openSession, q) => listValues(openSession(), '/users', { q }, 'user_id'),
  provider: (openSession) => listValues(openSession(), '/providers', {}, 'id'),
  profile: (openSession) => {
    const file = getProfilesFile(openSession().surroundings)
    return readProfiles(file).map((profile) => [getText(profile, 'name') ?? '', getText(profile, 'origin') ?? ''])
  },
  host: () => agentHosts('').map(({ id, title }) => [id, title]),
  format: () => [...FORMAT_NAMES],
  dialect: () => toCandidates(REMOTE_PROTOCOLS),
  scope: () => toCandidates(SCOPE_NAMES),
}

/** Toolkits with a dot, then the tools of one: a page of all would end before the last of many. */
async function listTools(openSession: () => CliSession, current: string): Promise<readonly Candidate[]> {
  const [toolkit, tool] = current.split('.')
  if (tool === undefined)
    return (await listToolkits(openSession)).map(([name, description]) => [`${name}.`, description])
  const tools = await listValues(openSession(), '/tools', { toolkit, format: 'summary', limit: 1_000 }, 'id')
  return tools.map(([id, description]) => [id.replace(/@.*/, ''), description])
}

function listToolkits(openSession: () => CliSession): Promise<readonly Candidate[]> {
  return listValues(openSession(), '/toolkits', {}, 'toolkit')
}

async function listValues(
  { connection, signal }: CliSession,
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  field: string,
): Promise<readonly Candidate[]> {
  const page: unknown = await connection.sendJson({ path, query, signal })
  return listObjects(page, 'items').map((item) => [
    getText(item, field) ?? '',
    getText(item, 'title') ?? getText(item, 'description') ?? '',
  ])
}
