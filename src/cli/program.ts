import { Command } from 'commander'
import about from '../../package.json' with { type: 'json' }
import { addArchive } from './commands/archive.ts'
import { addAuthorize } from './commands/authorize.ts'
import { addCall } from './commands/call.ts'
import { addList, addSearch, addShow } from './commands/catalog.ts'
import { addConnect } from './commands/connect.ts'
import { addConvert } from './commands/convert.ts'
import { addDoctor } from './commands/doctor.ts'
import { addImport } from './commands/import.ts'
import { addKeys } from './commands/keys.ts'
import { addListings } from './commands/listings.ts'
import { addPolicies } from './commands/policies.ts'
import { addPublish } from './commands/publish.ts'
import { addStatus } from './commands/status.ts'
import { addTypes } from './commands/types.ts'
import type { AddCommands, Open } from './context.ts'

const COMMANDS: readonly AddCommands[] = [
  addList,
  addSearch,
  addShow,
  addCall,
  addTypes,
  addPublish,
  addImport,
  addConvert,
  addListings,
  addStatus,
  addKeys,
  addPolicies,
  addConnect,
  addAuthorize,
  addArchive,
  addDoctor,
]

/** The tree of commands. It throws a `CommanderError` for a wrong command line, and prints nothing but help. */
export function createProgram(open: Open, write: (text: string) => void): Command {
  const program = new Command('switchboard')
    .description('Finds, calls and publishes the tools of a Switchboard')
    .version(about.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined, outputError: () => undefined })
    .addHelpText(
      'after',
      '\nSWITCHBOARD_URL and SWITCHBOARD_KEY set the deployment and the key, so that you need not pass them each time.',
    )
  for (const add of COMMANDS) add(program, open)
  for (const command of program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each]))) {
    command
      .option('--url <url>', 'the deployment (SWITCHBOARD_URL; else http://localhost:8787)')
      .option('--key <key>', 'API key (better in SWITCHBOARD_KEY, as others on a machine can see command lines)')
      .option('--allow-http', 'send the key over plain http to another machine, in a network that you trust')
      .option('--json', 'print JSON, and errors as one object on stderr')
      .option('--yes', 'do not ask for confirmation')
  }
  return program
}
