import { writeFile } from 'node:fs/promises'
import { collectOption } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands } from '../context.ts'
import { listItems } from './listings.ts'
import { declareTools } from '../typescript.ts'

export const addTypes: AddCommands = (program, open) => {
  program
    .command('types')
    .description('write the types of tools as TypeScript, for createClient of switchboard/client')
    .argument('[tool...]', 'only these tools, by id or name')
    .option('--toolkit <toolkit>', 'only this toolkit; can be repeated (default: all)', collectOption)
    .option('--out <file>', 'file to write (default: standard output)')
    .action(async (toolNames, options) => {
      const { toolkit, out } = options
      const session = open(options)
      const { connection, terminal, surroundings } = session
      const query = { format: 'openapi' }
      const tools: unknown[] = []
      for (const tool of toolNames)
        tools.push(await connection.sendJson({ path: `/tools/${encodeURIComponent(tool)}`, query }))
      for (const toolkitName of toolkit ?? (toolNames.length === 0 ? [undefined] : [])) {
        const { items } = await listItems(session, '/tools', { ...query, toolkit: toolkitName }, Infinity)
        tools.push(...items)
      }
      if (tools.length === 0) throw new CliError('refused', 'There are no such tools')
      const text = declareTools(tools)
      if (out === undefined) return void surroundings.stdout.write(text)
      await writeFile(out, text)
      terminal.emit({ file: out, tools: tools.length }, () =>
        terminal.note(['green', '✓'], ` ${out}: the types of ${tools.length} tools`),
      )
    })
}
