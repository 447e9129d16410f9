import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'

/** What a warm request may take at most, as `npm run bench:entered` counts it. */
const AT_MOST = {
  'OXP POST /tools/call': { files: 30, functions: 102, promises: 32 },
  'MCP 2026-07-28 tools/call': { files: 33, functions: 116, promises: 32 },
  'MCP 2025-11-25 tools/call': { files: 33, functions: 111, promises: 32 },
  'Open Tool Calling POST /worker/tools/invoke': { files: 30, functions: 99, promises: 34 },
  'Machine Context POST /machine-context/execute': { files: 30, functions: 105, promises: 32 },
  'Plugin POST /plugin/call': { files: 29, functions: 100, promises: 32 },
  'GET /tools': { files: 25, functions: 85, promises: 43 },
  'GET /tools?q=': { files: 33, functions: 117, promises: 83 },
  // Those of a second message among them, by which the Registry tells which other tool the first sentence finds
  'POST /tools, one tool': { files: 46, functions: 204, promises: 168 },
} as const

const KINDS = ['files', 'functions', 'promises'] as const

const WHAT_TO_DO =
  'see with `npm run bench:entered -- --list` what it enters now, and leave out what this request does not need; ' +
  'where it is needed, raise the number here and say why in the commit'

describe('a warm request costs no more than it did', () => {
  let counted: Readonly<Record<string, Readonly<Record<(typeof KINDS)[number], number>>>> = {}

  beforeAll(() => {
    const script = fileURLToPath(new URL('bench/entered.ts', import.meta.url))
    counted = JSON.parse(execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' }))
  }, 60_000)

  it('and all of them are counted', () => {
    expect(Object.keys(counted)).toEqual(Object.keys(AT_MOST))
  })

  it.each(Object.entries(AT_MOST))('%s', (name, most) => {
    const risen = KINDS.filter((kind) => (counted[name]?.[kind] ?? Infinity) > most[kind])
    const said = risen.map((kind) => `${counted[name]?.[kind]} ${kind}, at most ${most[kind]}`)
    expect(said, `${name} takes more than it did: ${WHAT_TO_DO}`).toEqual([])
  })
})
