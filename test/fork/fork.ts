import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' })

export interface Copy {
  readonly folder: string
  remove(): void
}

export interface Fork extends Copy {
  /** The added, changed and removed tools, as `Toolkit/Tool`. */
  readonly added: string
  readonly changed: string
  readonly removed: string
}

/** Copies the working tree, so that it can be changed. */
export function copyTree(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-fork-'))
  const paths = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean)
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { force: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Copies the working tree, adds, changes and removes one tool each, and removes the tests of the last two. */
export function fork(): Fork {
  const copy = copyTree()
  const { folder } = copy
  const [changed = '', removed = ''] = countTools(folder)
  const added = 'Fork/Added'
  const fileOf = (tool: string) => join(folder, 'tools', `${tool}.ts`)
  mkdirSync(join(folder, 'tools/Fork'))
  writeFileSync(fileOf(added), ADDED)
  writeFileSync(fileOf(changed), readFileSync(fileOf(changed), 'utf8').replace(/version: '.*'/, "version: '77.0.0'"))
  for (const file of [`${changed}.test`, `${removed}.test`, removed]) rmSync(fileOf(file), { force: true })
  // The checks also read the list of tracked files
  git(folder, 'init', '--quiet')
  git(folder, 'add', '--all')
  return { ...copy, added, changed, removed }
}

/** Lists the files that declare one tool each, whose paths are ids. */
function countTools(folder: string): string[] {
  return readdirSync(join(folder, 'tools'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(folder, 'tools', name)).map((file) => `${name}/${file}`))
    .filter((path) => /^[^.]+\.ts$/.test(path))
    .filter((path) => readFileSync(join(folder, 'tools', path), 'utf8').includes('export default defineTool('))
    .map((path) => path.replace('.ts', ''))
    .sort()
}

const ADDED = `import { defineTool } from '#tool'

export default defineTool({
  version: '1.0.0',
  description: 'Says how long a text is.',
  input: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text.' } },
    required: ['text'],
  },
  output: { type: 'number', description: 'How many code units it has.' },
  handler: ({ text }) => text.length,
})
`

/** Runs a command of the project in the fork and returns its output. If it fails, throws with the output. */
export function runIn({ folder }: Fork, ...command: string[]): string {
  const [program = '', ...args] = command
  try {
    return execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        NO_COLOR: '1',
        PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
        WRANGLER_SEND_METRICS: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error)
    throw new Error(`Cannot run '${command.join(' ')}' in a fork:\n${stdout}${stderr}`, { cause: error })
  }
}
