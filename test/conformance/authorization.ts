import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, request as send } from 'node:http'
import { connected, decide, newAgent } from '../e2e/oauth/agent.ts'
import { close, listen } from '../e2e/oauth/provider.ts'
import { asAdmin, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import { JSON_SCHEMA_TOOL } from './json-schema-tool.ts'
import { type Conformance, REVISIONS, runSuite, suite } from './run.ts'

const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant'] as const
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Runs the official suite against the endpoint for agents: its scenarios of authorization servers, for which a person allows
 * each request, and the requirements of each revision with a token.
 */
export async function runConnectConformance(port: number): Promise<{
  readonly authorization: { readonly passed: readonly string[]; readonly output: string }
  readonly server: readonly Conformance[]
}> {
  const world = await startConnectWorld()
  try {
    const { url } = world.server
    const published = await world.server.json('POST', '/tools', JSON_SCHEMA_TOOL, asAdmin)
    if (published.status !== 201) throw new Error(`Cannot publish a fixture: ${JSON.stringify(published.body)}`)
    const ann = await world.findSession('ann')
    const { clientId } = await newAgent(url, `http://127.0.0.1:${port}/callback`)
    const args = ['--url', `${url}/connect`, '--client-id', clientId, '--port', String(port)]
    const output = await run(['authorization', ...args, '--resource', `${url}/connect/mcp`], (page) => {
      void decide(ann, page, { 'toolkit.Calculator': '1', 'days': '1', 'decision': 'allow' })
        .then(({ location }) => location && fetch(location))
        .catch((error) => console.error(error))
    })
    const passed = SCENARIOS.filter((scenario) => new RegExp(`✓ ${scenario}: \\d+ passed, 0 failed`).test(output))
    const { tokens } = await connected(ann, url, ['Fixture', 'Calculator'])
    const server: Conformance[] = []
    const door = await openDoor(url, tokens.access_token)
    try {
      for (const revision of REVISIONS) server.push(await runSuite(`${door.url}/connect/mcp`, revision))
    } finally {
      await door.close()
    }
    return { authorization: { passed, output }, server }
  } finally {
    await world.stop()
  }
}

/** Starts a proxy that adds a token and the server's host to each request of the suite, which sends no credentials. */
async function openDoor(origin: string, token: string) {
  const { host } = new URL(origin)
  const door = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` }
    // The suite may use any name of this machine, but a token is only valid at the one that it was issued for
    if (/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(headers.host ?? '')) headers.host = host
    const { method, url: path } = request
    const onward = send(`${origin}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  const port = await listen(door, 0)
  return { url: `http://127.0.0.1:${port}`, close: () => close(door) }
}

/** Runs the suite, and opens each page that it asks a person to open. Its output ends with the checks of each scenario. */
async function run(args: readonly string[], open: (url: string) => void) {
  const results = mkdtempSync(join(tmpdir(), 'switchboard-conformance-'))
  const child = spawn(process.execPath, [suite, ...args, '--output-dir', results], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let isOpened = false
  const read = (chunk: unknown) => {
    output += String(chunk)
    const [page] = /http:\/\/\S+\/connect\/authorize\?\S+/.exec(output) ?? []
    if (isOpened || page === undefined || !output.includes('Callback server started')) return
    isOpened = true
    open(page)
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  await new Promise((done) => child.once('close', done))
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'))
  const checks = files.map((path) => readFileSync(join(results, path), 'utf8'))
  rmSync(results, { recursive: true })
  return [output, ...checks].join('\n')
}
