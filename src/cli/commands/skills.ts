import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { JsonRecord } from '../../client/json.ts'
import type { AddCommands } from '../context.ts'
import { addGroup } from './listings.ts'

const COLUMNS = {
  Toolkit: 'toolkit',
  Skill: 'name',
  Version: 'version',
  Description: 'frontmatter.description',
}

export const addSkills: AddCommands = (program, open) => {
  const description = 'skills of toolkits: instructions for agents'
  addGroup(program, open, { name: 'skills', description, path: '/skills', columns: COLUMNS })
    .command('publish <folder>')
    .description('publish a folder with a SKILL.md; the skill has the name of the folder')
    .requiredOption('--toolkit <toolkit>', 'the toolkit that the skill belongs to')
    .action(async (folder, options) => {
      const { connection, terminal } = open(options)
      const files: Record<string, unknown> = {}
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name)
        if (!entry.isFile()) continue
        const path = relative(folder, file).replaceAll(sep, '/')
        const bytes = await readFile(file)
        const isText = isUtf8(bytes) && !bytes.includes(0)
        files[path] = isText ? bytes.toString() : { base64: bytes.toString('base64') }
      }
      const [toolkit, name] = [options.toolkit, basename(resolve(folder))].map(encodeURIComponent)
      const request = { method: 'PUT', path: `/toolkits/${toolkit}/skills/${name}`, json: { files } }
      const skill: JsonRecord = await connection.sendJson({ ...request, isRepeatable: true })
      const { version, status } = skill
      terminal.emit(skill, () =>
        terminal.print(['green', '+'], ` ${toolkit}/${name} ${String(version)} ${String(status)}`),
      )
    })
}
