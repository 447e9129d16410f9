import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
/** Scripts that npm runs by itself, and scripts that end in a tool with its own help: Wrangler, Prettier and Vitest. */
const OTHERS = ['prepare', 'premutation', 'deploy', 'format', 'test', 'test:full']

/** As npm does. */
function run(name: string, ...args: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`
  const env = { ...process.env, PATH, npm_lifecycle_event: name }
  return new Promise((done) =>
    exec([scripts[name], ...args].join(' '), { cwd: root, env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
}

it.each(Object.keys(scripts).filter((name) => !OTHERS.includes(name)))(
  'npm run %s -- --help says what it does, and starts nothing',
  async (name) => {
    const { code, stdout, stderr } = await run(name, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [usage = '', _, about = '', __, ...options] = stdout.trimEnd().split('\n')
    expect(usage).toMatch(new RegExp(`^Usage: npm run ${name}(?: -- \\[options\\]| \\[room\\.\\.\\.\\])?$`))
    expect(about).toMatch(/^[A-Z].+\.$/)
    for (const option of options) expect(option).toMatch(/^ {2}(?:--[\w-]+(?: <value>)? {2,}\S|\S)/)
  },
  60_000,
)

it('an unknown option of a script is reported, with the command that lists its options', async () => {
  const { code, stderr } = await run('build', '--outdr', 'x')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Unknown option '--outdr'.*\nnpm run build -- --help lists the options\n$/)
})
