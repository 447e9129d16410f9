/**
 * `npm run conformance`: the official MCP conformance suite against the tools of `test/fixtures`, once for each revision that
 * it has requirements for. `expected.<revision>.yml` lists the expected failures: the run fails if anything else fails, or
 * if something listed passes. Then come the scenarios of extensions, which the suite does not require.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startServer } from '../e2e/server.ts'
import { JSON_SCHEMA_TOOL } from './json-schema-tool.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

/** Each scenario with the minimum number of passing checks. The last one checks nothing yet. */
export const EXTENSION_SCENARIOS = {
  'tasks-lifecycle': 9,
  'tasks-capability-negotiation': 5,
  'tasks-dispatch-and-envelope': 9,
  'tasks-wire-fields': 4,
  'tasks-mrtr-input': 4,
  'tasks-mrtr-composition': 2,
  'tasks-request-headers': 5,
  'tasks-request-state-removal': 3,
  'tasks-required-task-error': 3,
  'tasks-status-notifications': 0,
} as const

export interface Conformance {
  readonly revision: Revision
  /** Whether exactly the expected failures occurred. */
  readonly asExpected: boolean
  readonly passed: number
  readonly scored: number
  readonly output: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const suiteUrl = new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url)
export const suite = fileURLToPath(suiteUrl)

export interface ExtensionScenario {
  readonly name: string
  /** Whether every check passed, and there were enough. */
  readonly passes: boolean
  readonly output: string
}

interface ConformanceRun {
  readonly revisions: readonly Conformance[]
  readonly extensions: readonly ExtensionScenario[]
}

/** Runs the suite of each revision, and then the scenarios of extensions, against one server. */
export async function runConformance(): Promise<ConformanceRun> {
  const server = await startServer()
  try {
    const published = await server.json('POST', '/tools', JSON_SCHEMA_TOOL)
    if (published.status !== 201) throw new Error(`Cannot publish a fixture: ${JSON.stringify(published.body)}`)
    const url = `${server.url}/mcp`
    const revisions: Conformance[] = []
    for (const revision of REVISIONS) revisions.push(await runSuite(url, revision))
    const extensions: ExtensionScenario[] = []
    for (const [name, checks] of Object.entries(EXTENSION_SCENARIOS))
      extensions.push(await runScenario(url, name, checks))
    return { revisions, extensions }
  } finally {
    await server.stop()
  }
}

/** Runs the suite of a revision against a server. */
export async function runSuite(url: string, revision: Revision): Promise<Conformance> {
  const expected = `test/conformance/expected.${revision}.yml`
  const { output, status } = await runCommand(url, ['--requirements', revision, '--expected-failures', expected])
  const scored = listOf(readFileSync(new URL(`../requirements/${revision}.yaml`, suiteUrl), 'utf8'))
  // As in the suite, a scenario with warnings passes, although its warnings must be expected
  const passed = scored.filter((name) => output.includes(`✓ ${name}:`)).length
  return { revision, asExpected: status === 0, passed, scored: scored.length, output }
}

async function runScenario(url: string, name: string, checks: number): Promise<ExtensionScenario> {
  const { output } = await runCommand(url, ['--scenario', name, '--spec-version', '2026-07-28', '--force'])
  const [, passed, all, failed, warnings] = /Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings/.exec(output) ?? []
  const passes = Number(passed) >= checks && passed === all && failed === '0' && warnings === '0'
  return { name, passes, output }
}

async function runCommand(url: string, options: readonly string[]) {
  const child = spawn(process.execPath, [suite, 'server', '--url', url, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const status = await new Promise((done) => child.once('close', done))
  return { output, status }
}

/** The entries of `server:` in a file of lists. */
function listOf(yaml: string): readonly string[] {
  const [, lines = ''] = /^server:\n((?:[ \t]*(?:-.*|#.*)?\n)*)/m.exec(yaml) ?? []
  return [...lines.matchAll(/^\s*-\s*(\S+)/gm)].map(([, name = '']) => name)
}

if (import.meta.main) {
  const { revisions, extensions } = await runConformance()
  for (const { revision, output, asExpected, passed, scored } of revisions) {
    console.log(asExpected ? output.slice(output.lastIndexOf('SUMMARY')) : output)
    console.log(`${revision}: ${passed} of ${scored} scored scenarios pass${asExpected ? '' : ', NOT AS EXPECTED'}\n`)
  }
  for (const { name, passes, output } of extensions) console.log(passes ? `✓ ${name}` : output)
  const isFine = revisions.every(({ asExpected }) => asExpected) && extensions.every(({ passes }) => passes)
  process.exitCode = isFine ? 0 : 1
}
