import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentHost, agentHosts, KEY_VARIABLE } from '../../src/docs/agent-hosts.ts'
import { type RunningServer, startApp } from './server.ts'

/** The guide's examples in Python with the packages themselves. `agent-hosts.test.ts` runs them with stand-ins. */

const ADMIN_KEY = 'the-administrator-of-this-test'
/** Of what the guide has installed, versions that were tried. */
const VERSIONS: Readonly<Record<string, string>> = {
  'langchain-mcp-adapters': '0.3.2',
  'openai-agents': '0.24.0',
  'fastmcp': '4.0.10',
  'httpx': '0.28.1',
}
const LISTED = expect.arrayContaining(['Calculator_Add'])
const asItIs = (text: string) => text

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'switchboard-python-'))
const hasPython = await run('python3', ['-m', 'venv', folder]).then(
  () => true,
  () => false,
)

const examples = [
  {
    id: 'python-langchain',
    edit: (text: string) => `${text}\nprint([tool.name for tool in tools])`,
    printed: LISTED,
  },
  {
    id: 'python-openai-agents',
    // In place of asking a model
    edit: (text: string) =>
      text.replace(/print\(\(await Runner.*$/m, 'print([tool.name for tool in await switchboard.list_tools()])'),
    printed: LISTED,
  },
  { id: 'python-fastmcp', edit: asItIs, printed: 5 },
  { id: 'python-httpx', edit: asItIs, printed: 5 },
]
const installed: ((typeof examples)[number] & { readonly missing: string })[] = []
for (const example of examples) installed.push({ ...example, missing: await install(example.id) })

/** Installs the package that the guide names, or says why it cannot. */
async function install(id: string): Promise<string> {
  if (!hasPython) return '(skipped: there is no python3 that makes virtual environments)'
  const { where } = exampleOf(id)
  const [, name = ''] = /`pip install ([\w-]+)`/.exec(where) ?? []
  const wanted = `${name}==${VERSIONS[name]}`
  const options = ['--quiet', '--retries', '0', '--timeout', '15']
  return run(join(folder, 'bin/pip'), ['install', ...options, wanted]).then(
    () => '',
    () => `(skipped: pip cannot install ${wanted} here)`,
  )
}

function exampleOf(id: string, origin = 'https://tools.test'): Pick<AgentHost, 'where' | 'snippet'> {
  return agentHosts(origin).find((each) => each.id === id) ?? { where: '' }
}

describe('the Python examples', () => {
  let server: RunningServer
  let key: string
  beforeAll(async () => {
    server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
    const body = { name: 'ann', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'] }
    key = (await server.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })).body.key
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  for (const { id, edit, printed, missing } of installed) {
    it.skipIf(missing !== '')(`${id} lists and calls tools ${missing}`, async () => {
      const text = edit(exampleOf(id, server.url).snippet?.text ?? '')
      const env = { ...process.env, [KEY_VARIABLE]: key }
      const { stdout } = await run(join(folder, 'bin/python'), ['-c', text], { env })
      expect(JSON.parse((stdout.trim().split('\n').at(-1) ?? '').replaceAll("'", '"'))).toEqual(printed)
    })
  }
})
