import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'

/** What a warm request may take at most, as `npm run bench:entered` counts it; of bytes a tenth more, since they vary. */
const AT_MOST = {
  'OXP POST /tools/call': { files: 34, functions: 118, blocks: 252, promises: 38, bytes: 41_000 },
  'MCP 2026-07-28 tools/call': { files: 36, functions: 132, blocks: 326, promises: 40, bytes: 48_000 },
  'MCP 2025-11-25 tools/call': { files: 36, functions: 127, blocks: 263, promises: 40, bytes: 46_000 },
  'Open Tool Calling POST /worker/tools/invoke': {
    files: 34,
    functions: 114,
    blocks: 393,
    promises: 40,
    bytes: 43_000,
  },
  'Machine Context POST /machine-context/execute': {
    files: 33,
    functions: 120,
    blocks: 479,
    promises: 38,
    bytes: 45_000,
  },
  'Plugin POST /plugin/call': { files: 33, functions: 116, blocks: 256, promises: 38, bytes: 42_000 },
  'GET /tools': { files: 31, functions: 111, blocks: 367, promises: 46, bytes: 68_000 },
  'GET /tools?q=': { files: 36, functions: 141, blocks: 581, promises: 86, bytes: 155_000 },
  // Those of a second message among them, by which the Registry tells which other tool the first sentence finds
  'POST /tools, one tool': { files: 49, functions: 225, blocks: 2042, promises: 179, bytes: 369_000 },
} as const

const KINDS = ['files', 'functions', 'blocks', 'promises', 'bytes'] as const

const WHAT_TO_DO =
  'see with `npm run bench:entered -- --list` what it enters now, and leave out what this request does not need; ' +
  'where it is needed, raise the number here and say why in the commit. Blocks are how often a piece of code without a ' +
  'branch ran, in loops too; bytes are what V8 allocated, in Node, whose requests take some 20,000: what a request makes ' +
  'anew and could make once, or not at all'

/** As `npm run bench:entered` has them: nothing is collected while bytes are counted, and no function becomes a part of another. */
const FLAGS = ['--no-opt', '--no-maglev', '--min-semi-space-size=64', '--max-semi-space-size=64']

describe('a warm request costs no more than it did', () => {
  let counted: Readonly<Record<string, Readonly<Record<(typeof KINDS)[number], number>>>> = {}

  const count = (): typeof counted => {
    const script = fileURLToPath(new URL('bench/entered.ts', import.meta.url))
    return JSON.parse(execFileSync(process.execPath, [...FLAGS, script, '--json'], { encoding: 'utf8' }))
  }
  const risenIn = (all: typeof counted, name: string, most: Readonly<Record<(typeof KINDS)[number], number>>) =>
    KINDS.filter((kind) => (all[name]?.[kind] ?? Infinity) > most[kind])

  beforeAll(() => {
    counted = count()
    // On a busy machine what waits runs amid a request, and is counted with it
    const isRisen = Object.entries(AT_MOST).some(([name, most]) => risenIn(counted, name, most).length > 0)
    if (isRisen) counted = count()
  }, 240_000)

  it('and all of them are counted', () => {
    expect(Object.keys(counted)).toEqual(Object.keys(AT_MOST))
  })

  it.each(Object.entries(AT_MOST))('%s', (name, most) => {
    const risen = risenIn(counted, name, most)
    const said = risen.map((kind) => `${counted[name]?.[kind]} ${kind}, at most ${most[kind]}`)
    expect(said, `${name} takes more than it did: ${WHAT_TO_DO}`).toEqual([])
  })
})
