/**
 * `npm run conformance`: the official MCP conformance suite against the tools of `test/fixtures`, once for each revision
 * of which it has requirements. What is expected to fail stands in `expected.<revision>.yml`: the run fails when anything
 * else does, and when something listed passes.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startServer } from '../e2e/server.ts'
import { JSON_SCHEMA_TOOL } from './json-schema-tool.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

export interface Conformance {
  readonly revision: Revision
  /** Nothing fails but what is expected to, and all of that. */
  readonly asExpected: boolean
  readonly passed: number
  readonly scored: number
  readonly output: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const suiteUrl = new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url)
export const suite = fileURLToPath(suiteUrl)

/** Runs the suite of each revision, one after the other, against one server. */
export async function runConformance(): Promise<readonly Conformance[]> {
  const server = await startServer()
  try {
    const published = await server.json('POST', '/tools', JSON_SCHEMA_TOOL)
    if (published.status !== 201) throw new Error(`Cannot publish a fixture: ${JSON.stringify(published.body)}`)
    const results: Conformance[] = []
    for (const revision of REVISIONS) results.push(await runSuite(`${server.url}/mcp`, revision))
    return results
  } finally {
    await server.stop()
  }
}

/** Runs the suite of a revision against a server. */
export async function runSuite(url: string, revision: Revision): Promise<Conformance> {
  const expected = `test/conformance/expected.${revision}.yml`
  const args = [suite, 'server', '--url', url, '--requirements', revision, '--expected-failures', expected]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const status = await new Promise((done) => child.once('close', done))
  const scored = listOf(readFileSync(new URL(`../requirements/${revision}.yaml`, suiteUrl), 'utf8'))
  // As the suite counts: one that passes with warnings passes, though its warnings have to be expected
  const passed = scored.filter((name) => output.includes(`✓ ${name}:`)).length
  return { revision, asExpected: status === 0, passed, scored: scored.length, output }
}

/** The entries of `server:` in a file of lists. */
function listOf(yaml: string): readonly string[] {
  const [, lines = ''] = /^server:\n((?:[ \t]*(?:-.*|#.*)?\n)*)/m.exec(yaml) ?? []
  return [...lines.matchAll(/^\s*-\s*(\S+)/gm)].map(([, name = '']) => name)
}

if (import.meta.main) {
  const results = await runConformance()
  for (const { revision, output, asExpected, passed, scored } of results) {
    console.log(asExpected ? output.slice(output.lastIndexOf('SUMMARY')) : output)
    console.log(`${revision}: ${passed} of ${scored} scored scenarios pass${asExpected ? '' : ', NOT AS EXPECTED'}\n`)
  }
  process.exitCode = results.every(({ asExpected }) => asExpected) ? 0 : 1
}
