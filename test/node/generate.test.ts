import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ROUNDS = 4
/** A generator takes a second or two, and much longer where others are at work. */
const LONG = 240_000

let folder: string
beforeEach(() => {
  const parent = join(root, '.wrangler/tmp')
  mkdirSync(parent, { recursive: true })
  folder = mkdtempSync(join(parent, 'generate-'))
  mkdirSync(join(folder, 'tools/Kit'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a generator in a separate process on the tools of this test. */
function generate(out: string): Promise<void> {
  const tools = ['--tools', relative(root, join(folder, 'tools')), '--out', relative(root, join(folder, out))]
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['src/node/generate.ts', ...tools], { cwd: root, stdio: 'pipe' })
    let printed = ''
    child.stderr.on('data', (chunk) => (printed += chunk))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(printed))))
  })
}

function writeTool(description: string, before = ''): void {
  const text = `import { defineTool } from '#tool'
${before}
export default defineTool({
  version: '1.0.0',
  description: ${JSON.stringify(description)},
  input: { type: 'object', properties: { text: { type: 'string', maxLength: ${description.length} } } },
  output: {},
  handler: () => 1,
})
`
  writeFileSync(join(folder, 'tools/Kit/Do.ts'), text)
}

/** What was generated; whatever is left behind that has no business there would be told of too. */
function filesOf(out: string): Record<string, string> {
  const entries = readdirSync(join(folder, out), { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(folder, out), join(entry.parentPath, entry.name)))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, out, name), 'utf8')]))
}

it(
  'several generators at once produce the same as one, round after round, and no reader sees partial files',
  { timeout: LONG },
  async () => {
    writeTool('Round 0.')
    await generate('ours')
    for (let round = 1; round <= ROUNDS; round++) {
      const before = filesOf('ours')
      writeTool(`Round ${'more '.repeat(round * 50)}.`)
      let isOver = false
      const seen = new Map<string, Set<string>>()
      const reading = (async () => {
        while (!isOver) {
          for (const name of Object.keys(before)) {
            const texts = seen.get(name) ?? new Set()
            seen.set(name, texts.add(readFileSync(join(folder, 'ours', name), 'utf8')))
          }
          await new Promise((next) => setImmediate(next))
        }
      })()
      await Promise.all([generate('ours'), generate('ours'), generate('alone')])
      isOver = true
      await reading
      const wanted = filesOf('alone')
      expect(filesOf('ours')).toEqual(wanted)
      expect(wanted['build.ts']).not.toBe(before['build.ts'])
      expect(seen.size).toBeGreaterThan(5)
      for (const [name, texts] of seen) {
        for (const text of texts) expect([before[name], wanted[name]]).toContain(text)
      }
    }
  },
)

it(
  'several generators at once produce the output of the newest source, even if an earlier generator is slower',
  { timeout: LONG },
  async () => {
    const [begun, goOn] = [join(folder, 'begun'), join(folder, 'go-on')]
    const waits = `
import { existsSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(begun)}, '')
while (!existsSync(${JSON.stringify(goOn)})) await new Promise((next) => setTimeout(next, 20))
`
    writeTool('Before.', waits)
    const older = generate('ours')
    await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toContain('begun')
    writeTool('After.')
    const newer = generate('ours')
    // It may be over before the older one goes on, or wait for that
    await Promise.race([newer, new Promise((later) => setTimeout(later, 4_000))])
    writeFileSync(goOn, '')
    await Promise.all([older, newer])
    expect(filesOf('ours')['build.ts']).toContain('"After."')
    expect(filesOf('ours')['build.ts']).not.toContain('"Before."')
  },
)

it('several generators at once wait for none that was killed', { timeout: LONG }, async () => {
  writeTool('Ends.', 'process.kill(process.pid, "SIGKILL")')
  await expect(generate('ours')).rejects.toThrow()
  writeTool('Goes on.')
  await generate('ours')
  expect(filesOf('ours')['build.ts']).toContain('Goes on.')
})
