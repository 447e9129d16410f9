import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Response } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_ORIGIN } from '../../src/docs/agent-hosts.ts'
import { FILES, root, type Snippet, snippets, triedBy } from '../docs/snippets.ts'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { definition } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'
import { unwarned } from './without-neighbours.ts'

/**
 * Runs the commands of the README and the guides unchanged and in order: those for a local machine against an open server, the
 * others against one that requires keys. If a response is shown below a command, the command must return it.
 */

const ADMIN_KEY = 'the-administrator-of-this-test'
const LOCAL = 'http://localhost:8787'
/** The guides cannot be tested without these programs. */
const MISSING = ['curl', 'jq', 'openssl'].filter((program) => spawnSync('which', [program]).status !== 0)

let local: RunningServer
let deployed: RunningServer
let folder: string
let commandLine: CommandLine
const given: Record<string, string> = {}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-snippets-'))
  local = await startApp()
  deployed = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      VAULT_KEYS: 'a text that is random enough for a test',
      GOOGLE_CLIENT_ID: 'google-client',
      GOOGLE_CLIENT_SECRET: 'google-secret',
      ACME_CLIENT_SECRET: 'acme-secret',
      EXAMPLE_KEY: 'the-key-of-example',
      TOOL_SECRETS: { EXAMPLE_KEY: ['Example.*'] },
    },
    // The tool server that guides import from is also a Switchboard
    async outbound(request) {
      const { host, pathname } = new URL(request.url)
      if (host !== 'tools.example.com') return new Response('Nobody is there', { status: 502 })
      const { status, headers, body } = await fetch(`${local.url}${pathname}?toolkits=Calculator`, {
        method: request.method,
        headers: [...request.headers].filter(([name]) => name !== 'host' && name !== 'authorization'),
        ...(request.body === null ? {} : { body: await request.arrayBuffer() }),
      })
      return new Response(body === null ? null : await new globalThis.Response(body).arrayBuffer(), {
        status,
        headers: { 'content-type': headers.get('content-type') ?? '' },
      })
    },
  })
  const bundled = ['Calculator', 'Doorbell', 'Gmail']
  const toolkits = [...bundled, 'Rates', 'Calendar', 'Text', 'Greeting', 'Words', 'Frankfurter', 'Example', 'Notes']
  const scopes = ['tools:read', 'tools:call', 'tools:publish']
  const body = { name: 'ann', scopes, tools: toolkits.map((each) => `${each}.*`), users: ['ann'] }
  const made = await deployed.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })
  given['<key>'] = made.body.key
  const sales = { name: 'sales agent', scopes: ['tools:read', 'tools:call'], tools: ['Gmail.*'] }
  const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
  given['5d1c…'] = (await deployed.json('POST', '/keys', sales, asAdmin)).body.id
  await deployed.json('POST', '/tools', definition('GitHub.ListIssues@1.0.0'), asAdmin)
  given['<ADMIN_KEY>'] = ADMIN_KEY
  given[EXAMPLE_ORIGIN] = deployed.url
  given[LOCAL] = local.url
  await writeFile(join(folder, 'report.pdf'), 'what it reports')
  for (const { text } of triedBy('plugin')) await writeFile(join(folder, 'greeting.ts'), text)
  // The folder in which the guide installs the compiler
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  // A refusal fails the command, and an agent host uses the address that it is configured with
  commandLine = buildCommandLine({})
  await program(
    'switchboard',
    `SWITCHBOARD_URL='${deployed.url}' XDG_CONFIG_HOME='${folder}' exec '${process.execPath}' '${commandLine.program}' "$@"`,
  )
  await program('curl-or-fail', 'exec curl --fail-with-body "$@"')
  await program(
    'claude',
    `[ "$*" = "mcp add --transport http switchboard $6" ] && exec curl --fail-with-body -s "$6" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
  )
})
afterAll(async () => {
  commandLine?.remove()
  await Promise.all([local?.stop(), deployed?.stop()])
  await rm(folder, { recursive: true, force: true })
})

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`)
  await chmod(join(folder, name), 0o755)
}

/** Fills in a text's placeholders for values of a deployment. */
function filled(text: string): string {
  return Object.entries(given).reduce((so, [name, value]) => so.replaceAll(name, value), text)
}

/** Runs a command in the same folder as the ones before it, and returns its output. */
async function run(command: string, mayBeRefused: boolean): Promise<string> {
  const script = mayBeRefused ? command : command.replaceAll(/(?<=^|[|;] *|xargs -I\{\} )curl /gm, 'curl-or-fail ')
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, ADMIN_KEY, SWITCHBOARD_KEY: ADMIN_KEY }
  try {
    return (await promisify(execFile)('sh', ['-ec', filled(script)], { cwd: folder, env })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = Object(error)
    throw new Error(`It fails:\n${command}\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Numbers that depend on the deployment, and on the clock. */
const COUNTS = ['sessions', 'agents', 'accounts', 'authorizations']
const VARY: ReadonlySet<string> = new Set(['duration', 'size', 'lines', 'created', 'unchanged', ...COUNTS])
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** Turns a documented response into a matcher: `…` matches any text, and a time any time. */
function wanted(said: unknown, key = ''): unknown {
  if (typeof said === 'number' && VARY.has(key)) return expect.any(Number)
  if (Array.isArray(said)) return said.map((each) => wanted(each))
  if (typeof said === 'object' && said !== null) {
    return Object.fromEntries(Object.entries(said).map(([name, each]) => [name, wanted(each, name)]))
  }
  if (typeof said !== 'string') return said
  if (TIME.test(said)) return expect.stringMatching(TIME)
  if (!said.includes('…')) return said
  const parts = filled(said)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  return expect.stringMatching(new RegExp(`^${parts.join('[^]+')}$`))
}

/** The commands, each with its documented response, if any. */
const steps = FILES.flatMap((file) => {
  const own = snippets.filter((each) => each.file === file)
  return own.flatMap((step, index) => {
    if (step.way !== 'server') return []
    const after = own[index + 1]
    return [{ file, text: step.text, step, answer: after?.way === 'answer' ? after : undefined }]
  })
})

describe.skipIf(MISSING.length > 0)(
  `commands, in the order of their files${MISSING.length > 0 ? ` (skipped: there is no ${MISSING.join(', ')})` : ''}`,
  () => {
    it("the guides' commands are found", () => {
      expect(steps.length).toBeGreaterThan(30)
      expect(steps.filter(({ answer }) => answer).length).toBeGreaterThan(12)
    })

    it.each(steps)('$file: $text', async ({ step, answer }) => {
      if (step.language !== 'sh') return isAddress(step)
      const printed = await run(step.text, answer !== undefined)
      if (answer) expect(unwarned(lastOf(printed))).toEqual(wanted(JSON.parse(filled(answer.text))))
      return undefined
    })
  },
)

/** Checks that an address on its own line responds. */
async function isAddress({ text }: Snippet): Promise<void> {
  const { status } = await fetch(filled(text), { method: 'POST', body: '{}' })
  expect(status).not.toBe(404)
  expect(status).toBeLessThan(500)
}

/** Parses the printed JSON, or its last line. */
function lastOf(printed: string): unknown {
  const line = printed.trim().split('\n').at(-1) ?? ''
  return JSON.parse(printed.trim().startsWith('{') && line !== '}' && line.startsWith('{') ? line : printed)
}
