import { writeFile } from 'node:fs/promises'
import { collectOption } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands } from '../context.ts'
import { readItems } from './listings.ts'
import { declareTools } from '../typescript.ts'

export const addTypes: AddCommands = (program, open) => {
  program
    .command('types')
    .description('write the types of tools as TypeScript, for createClient of switchboard/client')
    .argument('[tool...]', 'only these tools, by id or name')
    .option('--toolkit <toolkit>', 'only this toolkit; can be repeated (default: all)', collectOption)
    .option('--out <file>', 'file to write (default: standard output)')
    .action(async (named, options) => {
      const { toolkit, out } = options
      const session = open(options)
      const { connection, terminal, surroundings, signal } = session
      const query = { format: 'openapi' }
      const tools: unknown[] = []
      for (const tool of named)
        tools.push(await connection.json({ path: `/tools/${encodeURIComponent(tool)}`, query, signal }))
      for (const each of toolkit ?? (named.length === 0 ? [undefined] : [])) {
        const { items } = await readItems(session, '/tools', { ...query, toolkit: each }, Infinity)
        tools.push(...items)
      }
      if (tools.length === 0) throw new CliError('refused', 'There are no such tools')
      const text = declareTools(tools)
      if (out === undefined) return void surroundings.stdout.write(text)
      await writeFile(out, text)
      terminal.give({ file: out, tools: tools.length }, () =>
        terminal.note(['green', '✓'], ` ${out}: the types of ${tools.length} tools`),
      )
    })
}
