import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { describing } from '../plugins/describing.ts'
import { neverSilent, startWatched } from './watch.ts'

const TOOLS = JSON.stringify({
  tools: [{ name: 'write', description: 'Writes to its log', inputSchema: { type: 'object' } }],
})
const ANSWER = JSON.stringify({ content: [{ type: 'text', text: 'written' }] })

let server: RunningServer
beforeAll(async () => void (server = await startWatched()))
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Builds a plugin that writes `parts` parts of 1 MiB from the same address, `times` times, or endlessly if 0. */
function writing(parts: number, times: number): Uint8Array<ArrayBuffer> {
  const entry = '(i32.add (local.get $base) (i32.shl (local.get $at) (i32.const 3)))'
  const again = times === 0 ? '(i32.const 1)' : `(i32.lt_u (local.get $round) (i32.const ${times}))`
  return describing(TOOLS, ANSWER, {
    imports: '(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))',
    first: `(func $first (local $base i32) (local $at i32) (local $round i32)
      (local.set $base (i32.shl (memory.grow (i32.const 64)) (i32.const 16)))
      (memory.fill (local.get $base) (i32.const 65) (i32.const 2097152))
      (loop $fill
        (i32.store ${entry} (local.get $base))
        (i32.store offset=4 ${entry} (i32.const 1048576))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $fill (i32.lt_u (local.get $at) (i32.const ${parts}))))
      (loop $write_again
        (drop (call $write (i32.const 1) (local.get $base) (i32.const ${parts}) (i32.const 0)))
        (local.set $round (i32.add (local.get $round) (i32.const 1)))
        (br_if $write_again ${again})))`,
  })
}

async function upload(toolkit: string, bytes: Uint8Array<ArrayBuffer>) {
  const headers = { 'content-type': 'application/wasm' }
  const path = `/toolkits/${toolkit}/plugin?version=1.0.0`
  return raw(server.url, { method: 'PUT', path, headers, body: bytes })
}

const callAll = (toolkit: string) => [
  server.json('POST', '/tools/call', { tool_id: `${toolkit}.write`, input: {} }),
  server.json('POST', `/plugin/call?toolkit=${toolkit}`, { params: { name: 'write', arguments: {} } }),
  server.json('POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: `${toolkit}_write`, arguments: {} },
  }),
]

// `runners/wasm/guest/wasi.test.ts` checks the fuel of a write, which limits how long a plugin can block the server

it.each([
  ['1,024 parts', 1_024, 1],
  ['one part', 1, 1],
  ['1,024 parts, a thousand times', 1_024, 1_000],
  ['1,024 parts, without end', 1_024, 0],
  ['one more part than may be', 1_025, 1_000],
])(
  'a plugin that logs one piece of its memory many times over writes little, and ends: %s',
  async (_, parts, times) => {
    const toolkit = `Overlap${parts}x${times}`
    const uploaded = await upload(toolkit, writing(parts, times))
    expect(uploaded.status, uploaded.text).toBe(201)
    const before = server.printed().length
    const results = await Promise.all(callAll(toolkit))
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(results[0]?.body.result.success).toBe(times !== 0)
    // At most 100 lines per call, each of 1,000 characters, which take up to six each when escaped
    expect(server.printed().length - before).toBeLessThan(3 * 100 * 6_200)
  },
)

it('a plugin that logs without end while it describes its tools is refused at upload', async () => {
  const bytes = describing(TOOLS, ANSWER, {
    imports: '(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))',
    first: '(func $first)',
    start: `(func $start (local $at i32)
        (loop $fill
          (i32.store offset=65540 (i32.shl (local.get $at) (i32.const 3)) (i32.const 65536))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $fill (i32.lt_u (local.get $at) (i32.const 1024))))
        (loop $again
          (drop (call $write (i32.const 1) (i32.const 65536) (i32.const 1024) (i32.const 131064)))
          (br $again)))`,
  })
  expect((await upload('Started', bytes)).status).toBe(422)
})
