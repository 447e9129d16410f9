import { Command, type CommandUnknownOpts, Help, Option } from 'commander'
import about from '../../package.json' with { type: 'json' }
import { parseIntegerOption } from './argument-values.ts'
import { addArchive } from './commands/archive.ts'
import { addAuthorize } from './commands/authorize.ts'
import { addCall } from './commands/call.ts'
import { addList, addSearch, addShow } from './commands/catalog.ts'
import { addCompletion } from './commands/completion.ts'
import { addConnect } from './commands/connect.ts'
import { addConvert } from './commands/convert.ts'
import { addDoctor } from './commands/doctor.ts'
import { addDrift } from './commands/drift.ts'
import { addGroups } from './commands/groups.ts'
import { addImport } from './commands/import.ts'
import { addKeys } from './commands/keys.ts'
import { addListings } from './commands/listings.ts'
import { addLock } from './commands/lock.ts'
import { addPeople } from './commands/people.ts'
import { addPolicies } from './commands/policies.ts'
import { addPreflight } from './commands/preflight.ts'
import { addProfiles } from './commands/profiles.ts'
import { addPublish } from './commands/publish.ts'
import { addSkills } from './commands/skills.ts'
import { addStatus } from './commands/status.ts'
import { addToolsets } from './commands/toolsets.ts'
import { addTypes } from './commands/types.ts'
import type { AddCommands, Open } from './context.ts'
import { EXAMPLES } from '../generated/examples.ts'

const COMMANDS: readonly AddCommands[] = [
  addProfiles,
  addList,
  addSearch,
  addShow,
  addCall,
  addAuthorize,
  addTypes,
  addPublish,
  addImport,
  addDrift,
  addConvert,
  addStatus,
  addGroups,
  addListings,
  addKeys,
  addPolicies,
  addPeople,
  addConnect,
  addArchive,
  addDoctor,
  addPreflight,
  addToolsets,
  addSkills,
  addLock,
  addCompletion,
]

/** Every command has these, unless it has its own option of that name. Only the program's help shows them. */
const GLOBAL_OPTIONS = [
  new Option('--url <url>', 'the deployment (SWITCHBOARD_URL; else http://localhost:8787)'),
  new Option('--key <key>', 'API key (better in SWITCHBOARD_KEY, as others on a machine can see command lines)'),
  new Option('--profile <profile>', "a deployment that you logged in to (SWITCHBOARD_PROFILE; else 'default')"),
  new Option('--allow-http', 'send the key over plain http to another machine, in a network that you trust'),
  new Option('--timeout <seconds>', 'time limit of each request').argParser(parseIntegerOption),
  new Option('--json', 'print JSON, and errors as one object on stderr'),
].map((option) => option.hideHelp().helpGroup('Options of every command:'))

/** Options that do not apply to a command. */
const OMITTED_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  login: ['--key'],
  logout: ['--url', '--key', '--allow-http', '--timeout'],
  profiles: ['--url', '--key', '--profile', '--allow-http', '--timeout'],
  completion: ['--url', '--key', '--profile', '--allow-http', '--timeout', '--json'],
}

/** Creates the tree of commands. It throws a `CommanderError` for an invalid command line, and prints only help. */
export function createProgram(open: Open, write: (text: string) => void): Command {
  const help = new Help()
  const program = new Command('switchboard')
    .description('Finds, calls and publishes the tools of a Switchboard')
    .version(about.version)
    .enablePositionalOptions()
    .exitOverride()
    // Only help is written: errors are thrown
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => undefined })
    .configureHelp({
      subcommandTerm: (command) => help.subcommandTerm(command).replace(' [options]', ''),
      visibleOptions: (command) => [...help.visibleOptions(command), ...(command.parent ? [] : GLOBAL_OPTIONS)],
    })
    .addHelpText('after', "\nOptions follow the command. 'switchboard help keys create' shows the help of a command.")
  for (const add of COMMANDS) add(program, open)
  for (const command of program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each]))) {
    const others = [...command.options.map(({ long }) => long), ...(OMITTED_OPTIONS[command.name()] ?? [])]
    for (const option of GLOBAL_OPTIONS) if (!others.includes(option.long)) command.addOption(option)
    command.addHelpText('after', formatExamples(command))
  }
  return program
}

/** Finds the guide's lines that run the command. A group lists by default. */
function formatExamples(command: CommandUnknownOpts): string {
  const name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
  const pattern = new RegExp(`switchboard ${name.replace(/ list$/, '(?: list|(?= -|$))')}(?: |$)`)
  const examples = EXAMPLES.filter((example) => pattern.test(example))
  return `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}
'switchboard help' shows the options of every command, such as --json.`
}
