import { formatJson, isObject, listObjects, getText } from '../../client/json.ts'
import { readInputFile, parseJsonArgument } from '../argument-values.ts'
import type { AddCommands } from '../context.ts'
import { wrapDefinition } from './publish.ts'

export const addConvert: AddCommands = (program, open) => {
  program
    .command('convert')
    .description('write a definition in another dialect or export; says what the format cannot express')
    .argument('<file>', "a definition as JSON; '-' reads standard input")
    .requiredOption('--to <format>', 'such as mcp, oxp, openai or machine-context')
    .option('--from <dialect>', 'the dialect of the definition, if it cannot be detected')
    .option('--toolkit <toolkit>', 'its toolkit, if it does not name one')
    .option('--version <version>', 'its version, if it does not name one')
    .action(async (file, options) => {
      const { to, from, toolkit, version } = options
      const { connection, terminal, surroundings } = open(options)
      const definition = parseJsonArgument(
        await readInputFile(file, surroundings),
        file === '-' ? 'The standard input' : file,
      )
      const json = wrapDefinition(definition, { toolkit, version })
      const request = { method: 'POST', path: '/convert', query: { to, from }, json, isRepeatable: true }
      const answer: unknown = await connection.sendJson(request)
      terminal.emit(answer, () => {
        terminal.write(formatJson(isObject(answer) ? answer['document'] : answer, 2) ?? '')
        for (const loss of listObjects(answer, 'losses'))
          terminal.note(['yellow', `Lost ${getText(loss, 'path') ?? ''}: ${getText(loss, 'reason') ?? ''}`])
      })
    })
}
