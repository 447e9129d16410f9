import { isObject, objectsIn, textIn } from '../../client/json.ts'
import { readInput, readJson } from '../argument-values.ts'
import type { AddCommands, CommonOptions, CliSession } from '../context.ts'
import { wrapped } from './publish.ts'

interface ConvertOptions extends CommonOptions {
  readonly to: string
  readonly from?: string
  readonly toolkit?: string
  readonly version?: string
}

export const addConvert: AddCommands = (program, open) => {
  program
    .command('convert')
    .description('write a definition in another dialect or export; says what the format cannot express')
    .argument('<file>', "a definition as JSON; '-' reads standard input")
    .requiredOption('--to <format>', 'such as mcp, oxp, openai or machine-context')
    .option('--from <dialect>', 'the dialect of the definition, if it is not recognised')
    .option('--toolkit <toolkit>', 'its toolkit, if it does not name one')
    .option('--version <version>', 'its version, if it does not name one')
    .action((file: string, options: ConvertOptions) => convert(open(options), file, options))
}

async function convert(session: CliSession, file: string, options: ConvertOptions): Promise<void> {
  const { to, from, toolkit, version } = options
  const { connection, terminal, surroundings, signal } = session
  const read = readJson(await readInput(file, surroundings), file === '-' ? 'The standard input' : file)
  const json = wrapped(read, { toolkit, version })
  const request = { method: 'POST', path: '/convert', query: { to, from }, json, signal, repeatable: true }
  const answer: unknown = await connection.json(request)
  terminal.give(answer, () => {
    terminal.write(JSON.stringify(isObject(answer) ? answer['document'] : answer, null, 2))
    for (const loss of objectsIn(answer, 'losses')) {
      terminal.note(['yellow', `Lost ${textIn(loss, 'path') ?? ''}: ${textIn(loss, 'reason') ?? ''}`])
    }
  })
}
