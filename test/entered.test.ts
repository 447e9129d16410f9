import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'

/** The most that a warm request may take, as counted by `npm run bench:entered`. */
const AT_MOST = {
  'OXP POST /tools/call': { files: 38, promises: 79, statements: 0 },
  'MCP 2026-07-28 tools/call': { files: 41, promises: 85, statements: 0 },
  'MCP 2025-11-25 tools/call': { files: 41, promises: 85, statements: 0 },
  'Open Tool Calling POST /worker/tools/invoke': { files: 38, promises: 79, statements: 0 },
  'Machine Context POST /machine-context/execute': { files: 37, promises: 79, statements: 0 },
  'Plugin POST /plugin/call': { files: 37, promises: 79, statements: 0 },
  'GET /tools': { files: 31, promises: 62, statements: 0 },
  'GET /tools?q=': { files: 36, promises: 100, statements: 10 },
  'POST /tools, one tool': { files: 52, promises: 201, statements: 55 },
} as const

const KINDS = ['files', 'promises', 'statements'] as const

const WHAT_TO_DO =
  'see with `npm run bench:entered -- --list` what it enters now, and leave out what this request does not need; ' +
  'where it is needed, raise the number here and say why in the commit'

/** Prevents inlining of functions. */
const FLAGS = ['--no-opt', '--no-maglev']

describe('the cost of a warm request', () => {
  let counted: Readonly<Record<string, Readonly<Record<(typeof KINDS)[number], number>>>> = {}

  const count = (): typeof counted => {
    const script = fileURLToPath(new URL('bench/entered.ts', import.meta.url))
    return JSON.parse(execFileSync(process.execPath, [...FLAGS, script, '--json'], { encoding: 'utf8' }))
  }
  const risenIn = (all: typeof counted, name: string, most: Readonly<Record<(typeof KINDS)[number], number>>) =>
    KINDS.filter((kind) => (all[name]?.[kind] ?? Infinity) > most[kind])

  beforeAll(() => {
    counted = count()
    // On a busy machine, pending work may run during a request and be counted with it
    const isRisen = Object.entries(AT_MOST).some(([name, most]) => risenIn(counted, name, most).length > 0)
    if (isRisen) counted = count()
  }, 240_000)

  it('the cost of a warm request has a limit for every kind of request', () => {
    expect(Object.keys(counted)).toEqual(Object.keys(AT_MOST))
  })

  it.each(Object.entries(AT_MOST))('the cost of a warm request stays within its limit: %s', (name, most) => {
    const risen = risenIn(counted, name, most)
    const said = risen.map((kind) => `${counted[name]?.[kind]} ${kind}, at most ${most[kind]}`)
    expect(said, `${name} takes more than it did: ${WHAT_TO_DO}`).toEqual([])
  })
})
