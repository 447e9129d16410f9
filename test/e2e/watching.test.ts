import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Copy, copyTree } from '../fork/fork.ts'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'

const COMMAND = ['npm', 'run', '--silent', 'dev', '--']
/** A build takes three seconds, and much longer where others are at work. */
const LONG = { timeout: 100_000 }
let copy: Copy
let server: ServerProcess
beforeAll(async () => {
  copy = copyTree()
  server = await startProcess(COMMAND, undefined, copy.folder)
})
afterAll(async () => {
  await server?.stop()
  copy?.remove()
})

const at = (path: string) => join(copy.folder, path)
const tool = (handler: string) => `import { defineTool } from '#tool'

export default defineTool({
  version: '1.0.0',
  description: 'Says something.',
  input: { type: 'object' },
  output: {},
  handler: ${handler},
})
`
/** Waits until what is printed after a change holds a text, and gives what was printed. */
async function after(change: () => void, text: string): Promise<string> {
  const before = server.printed().length
  change()
  await expect.poll(() => server.printed().slice(before), LONG).toContain(text)
  return server.printed().slice(before)
}
const goesOn = async () => {
  expect((await server.json('GET', '/health')).status).toBe(200)
  expect((await server.json('GET', '/keys')).status).toBe(200)
}

describe('npm run dev', { timeout: 300_000 }, () => {
  it("npm run dev prints a tool's error in one line, and keeps serving until it is fixed", async () => {
    const file = at('tools/Doorbell/Whisper.ts')
    const broken = await after(() => writeFileSync(file, 'export default {\n  a: ;\n}\n'), 'goes on at')
    expect(broken.split('\n').filter(Boolean)).toEqual([
      'Building what changed …',
      'tools/Doorbell/Whisper.ts:2: SyntaxError: Expression expected',
      `What was served before goes on at ${server.url}`,
    ])
    await goesOn()
    const misnamed = tool('() => 1').replace('1.0.0', 'one')
    expect(await after(() => writeFileSync(file, misnamed), 'goes on at')).toMatch(
      /^tools\/Doorbell\/Whisper\.ts: version: Must be one such as '1\.0\.0', got 'one'$/m,
    )
    await goesOn()
    const right = tool("() => { console.error('heard'); throw new Error('hoarse') }")
    await after(() => writeFileSync(file, right), `Ready on ${server.url}, with what changed`)
    const call = { tool_id: 'Doorbell.Whisper', input: {} }
    const { body } = await server.json('POST', '/tools/call', call)
    expect(body.result.success).toBe(false)
    await expect.poll(() => server.printed()).toContain('hoarse')
    expect(server.printed()).toContain('heard\n')
    await after(() => rmSync(file), 'with what changed')
    expect((await server.json('POST', '/tools/call', call)).status).toBe(400)
  })

  it('npm run dev runs published code before a change, and reloads it after', async () => {
    const file = at('tools/Doorbell/Chime.ts')
    const implementation = { kind: 'code', module: 'let calls = 0\nexport default () => ++calls' }
    const { status } = await server.json('POST', '/tools', {
      definition: definition('Chimes.Count@1.0.0'),
      implementation,
    })
    expect(status).toBe(201)
    const count = async () => {
      const { body } = await server.json('POST', '/tools/call', { tool_id: 'Chimes.Count', input: {} })
      return body.result.value
    }
    expect([await count(), await count()]).toEqual([1, 2])
    await after(() => writeFileSync(file, tool('() => 1')), 'with what changed')
    expect(await count()).toBe(1)
    await after(() => rmSync(file), 'with what changed')
    expect(await count()).toBe(1)
  })

  it('npm run dev works while a generator runs at the same time, and serves the current source in the end', async () => {
    const file = at('tools/Doorbell/Ring.ts')
    const generate = () =>
      promisify(execFile)('npm', ['run', '--silent', 'generate'], { cwd: copy.folder, encoding: 'utf8' })
    for (const rings of [1, 2]) {
      let beside: Promise<unknown> = Promise.resolve()
      const printed = await after(() => {
        writeFileSync(file, tool(`() => ${rings}`))
        beside = Promise.all([generate(), generate()])
      }, `Ready on ${server.url}, with what changed`)
      await beside
      expect(printed).not.toContain('goes on at')
      const { body } = await server.json('POST', '/tools/call', { tool_id: 'Doorbell.Ring', input: {} })
      expect(body.result.value).toBe(rings)
      const left = readdirSync(at('src/generated')).filter((name) => name.endsWith('.tmp'))
      expect(left).toEqual([])
    }
    await after(() => rmSync(file), 'with what changed')
  })

  it('npm run dev reports errors in code that tools and the Worker share', async () => {
    const file = at('src/core/tool/tool-id.ts')
    const text = readFileSync(file, 'utf8')
    const lines = text.split('\n').length
    const broken = await after(() => writeFileSync(file, `${text}const unfinished = {\n`), 'goes on at')
    expect(broken).toMatch(new RegExp(`^src/core/tool/tool-id\\.ts:${lines}: SyntaxError: .+\nWhat was served`, 'm'))
    await after(() => writeFileSync(file, text), 'as before')
  })

  it('npm run dev prints a source error with its location, even if it appears only when the Worker starts', async () => {
    const file = at('src/dispatcher.ts')
    const text = readFileSync(file, 'utf8')
    const lines = text.split('\n').length
    const unfinished = await after(() => writeFileSync(file, `${text}const unfinished = {\n`), 'goes on at')
    expect(unfinished).toContain(`src/dispatcher.ts:${lines + 1}:0`)
    expect(unfinished).not.toMatch(/\[3\dm|Logs were written|custom build/)
    await goesOn()
    const throwing = await after(() => writeFileSync(file, `${text}throw new Error('at the start')\n`), 'goes on at')
    expect(throwing.split('\n').slice(1, 3)).toEqual([
      'service core:user:switchboard: Uncaught Error: at the start',
      `  at src/dispatcher.ts:${lines}:7`,
    ])
    await goesOn()
    await after(() => writeFileSync(file, text), 'as before')
  })

  it('npm run dev reads current secrets from .dev.vars, and --var overrides them', async () => {
    const key = 'an-admin-key-in-the-file-0123456789'
    const closed = await startProcess([...COMMAND, '--var', 'ACCESS:keys'], undefined, copy.folder)
    const status = async (headers = {}) => (await closed.json('GET', '/keys', undefined, headers)).status
    const printed = () =>
      closed
        .printed()
        .split('\n')
        .filter((line) => line.startsWith('Ready on')).length
    const asAdmin = { authorization: `Bearer ${key}` }
    try {
      expect([await status(), await status(asAdmin)]).toEqual([401, 401])
      writeFileSync(at('.dev.vars'), `ADMIN_KEY=${key}\nACCESS=open\n`)
      await expect.poll(printed, LONG).toBe(2)
      expect([await status(), await status(asAdmin)]).toEqual([401, 200])
      rmSync(at('.dev.vars'))
      await expect.poll(printed, LONG).toBe(3)
      expect(await status(asAdmin)).toBe(401)
    } finally {
      await closed.stop()
    }
  })

  it.each([
    ['Ctrl+C, which all of them get', 'SIGINT', -1],
    ['SIGTERM, which npm gets alone', 'SIGTERM', 1],
  ] as const)('npm run dev ends with all its processes on %s', async (_, signal, which) => {
    const ending = await startProcess(COMMAND, undefined, copy.folder)
    const { pid = 0 } = ending
    const alive = () =>
      execFileSync('ps', ['-eo', 'pgid=,stat=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.trim().startsWith(`${pid} `) && !/^ *\d+ +Z/.test(line))
    expect(alive().length).toBeGreaterThan(2)
    process.kill(which * pid, signal)
    await expect.poll(alive, LONG).toEqual([])
    await ending.stop()
  })
})
