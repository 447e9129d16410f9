import { isObject, objectsIn, textIn } from '../../client/json.ts'
import { readInput, readJson } from '../argument-values.ts'
import type { AddCommands, CommonOptions, CliSession } from '../context.ts'

interface ConvertOptions extends CommonOptions {
  readonly to: string
  readonly from?: string
}

export const addConvert: AddCommands = (program, open) => {
  program
    .command('convert')
    .description('write a definition in another dialect or export; says what the format cannot express')
    .argument('<file>', "a definition as JSON; '-' reads standard input")
    .requiredOption('--to <format>', 'such as mcp, oxp, openai or machine-context')
    .option('--from <dialect>', 'the dialect of the definition, if it is not recognised')
    .action((file: string, options: ConvertOptions) => convert(open(options), file, options))
}

async function convert(session: CliSession, file: string, { to, from }: ConvertOptions): Promise<void> {
  const { connection, terminal, surroundings, signal } = session
  const json = readJson(await readInput(file, surroundings), file === '-' ? 'The standard input' : file)
  const query = { to, from }
  const request = { method: 'POST', path: '/convert', query, json, signal, repeatable: true }
  const answer: unknown = await connection.json(request)
  terminal.give(answer, () => {
    terminal.write(JSON.stringify(isObject(answer) ? answer['document'] : answer, null, 2))
    for (const loss of objectsIn(answer, 'losses')) {
      terminal.note(['yellow', `Lost ${textIn(loss, 'path') ?? ''}: ${textIn(loss, 'reason') ?? ''}`])
    }
  })
}
