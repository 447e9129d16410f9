import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unsigned } from '../../src/runners/wasm/fuel/bytes.ts'
import { readEvents } from '../../src/http/response/event-stream.ts'
import { raw } from '../e2e/raw.ts'
import type { Server } from '../e2e/server.ts'
import { meteredInSteps } from '../runners/wasm/fuel/metered.ts'
import { neverSilent, startWatchedServer } from './watch.ts'
import { definition } from '../e2e/definition.ts'

let server: Server
beforeAll(async () => {
  server = await startWatchedServer()
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const MEGABYTE = 1024 * 1024

/** Builds a module of functions without parameters, which repeat this code as often as it fits into `bytes`. */
function moduleOf(functions: number, bytes: number, code: readonly number[], ends: readonly number[] = []): Uint8Array {
  const count = Math.floor((bytes - 10) / (code.length + ends.length))
  const body = Buffer.from([0, ...Array(count).fill(code).flat(), ...Array(count).fill(ends).flat(), 0x0b])
  const sized = Buffer.concat([Buffer.from(unsigned(body.length)), body])
  const section = (id: number, content: Uint8Array) =>
    Buffer.concat([Buffer.from([id, ...unsigned(content.length)]), content])
  const counted = (each: Uint8Array) =>
    Buffer.concat([Buffer.from(unsigned(functions)), ...Array(functions).fill(each)])
  return Buffer.concat([
    Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    section(1, Buffer.from([1, 0x60, 0, 0])),
    section(3, counted(Buffer.from([0]))),
    section(10, counted(sized)),
  ])
}

const IF = [0x41, 0, 0x04, 0x40, 0x0b]
const BLOCK = [0x02, 0x40]
const LOOP = [0x03, 0x40, 0x0b]
const NOP = [0x01]

describe.each<readonly [string, Uint8Array]>([
  ['of conditions', moduleOf(4, 0.98 * MEGABYTE, IF)],
  ['of blocks in blocks', moduleOf(5, 0.9 * MEGABYTE, BLOCK, [0x0b])],
  ['of loops', moduleOf(4, 0.98 * MEGABYTE, LOOP)],
  ['of nothing, without a branch', moduleOf(4, 0.98 * MEGABYTE, NOP)],
  ['of very many functions', moduleOf(40_000, 100, IF)],
  ['of function tables that are looked through', moduleOf(4, 0.98 * MEGABYTE, [0x41, 0, 0x0e, 0, 0, 0x0b].slice(0, 4))],
])('a plugin of four megabytes, %s', (name, bytes) => {
  it(`a plugin of four megabytes, ${name}, is metered in steps that do not block other requests`, () => {
    let steps = 0
    try {
      steps = meteredInSteps(bytes, { fuel: 1_000, maxPages: 16 }).steps
      expect(steps).toBeGreaterThan(bytes.length / MEGABYTE / 0.07)
    } catch (error) {
      expect(String(error)).toMatch(/larger than \d+ bytes when metered/)
    }
  })

  it(`a plugin of four megabytes, ${name}, is refused with a short message`, async () => {
    const headers = { 'content-type': 'application/wasm' }
    const sent = { method: 'PUT', path: '/toolkits/Worst/plugin?version=1.0.0', headers, body: bytes }
    const { status, text } = await raw(server.url, sent)
    expect([status, text.length < 2_000]).toEqual([422, true])
  })
})

const TEXT = "'x'.repeat(20000000)"
/** Modules that misuse `context.progress` and its surroundings. */
const REPORTING: readonly (readonly [string, string])[] = [
  ['texts of 20 MB', `for (let n = 1; n < 20; n++) await progress(n, 20, ${TEXT})`],
  ['20 MB where a number belongs', `for (let n = 1; n < 20; n++) await progress(${TEXT}, ${TEXT}, { length: 1 })`],
  ['texts of 20 MB, all at once', `for (let n = 1; n < 20; n++) progress(n, 20, n + ${TEXT})`],
  ['long texts, on and on', `for (let n = 1; n < 5000; n++) await progress(n, 5000, 'y'.repeat(90000))`],
  ['20 MB of log', `for (let n = 1; n < 500; n++) console.log(${TEXT})`],
]

describe.each(REPORTING)('a code tool that reports %s', (name, body) => {
  const id = `Reports.${name.replaceAll(/\W+/g, '_').slice(0, 30)}`

  it(`a code tool that reports ${name} sends progress events of limited total length`, async () => {
    const module = `export default async (_, { progress = () => undefined }) => { ${body}; return 'done' }`
    await publish(id, module)
    const { events, length } = await called(id)
    expect(events.at(-1)).toMatchObject({ event: 'result' })
    expect(length).toBeLessThan(5_000_000)
    for (const { event, data } of events) {
      if (event === 'progress') expect(JSON.parse(data).message?.length ?? 0).toBeLessThanOrEqual(1_000)
    }
  })
})

it('a module that bypasses its wrapper is stopped at its first oversized report', async () => {
  const module = `export default async () => {
    const { default: Main } = await import('./main.ts')
    const { run } = Main.prototype
    Main.prototype.run = async function (input, call, progress) {
      for (let n = 1; progress && n < 20; n++) await progress(n, 20, ${TEXT})
      return run.call(this, input, call, progress)
    }
    return 'got past'
  }`
  await publish('Reports.around', module)
  expect((await called('Reports.around')).events[0]?.data).toContain('got past')
  const { events, length } = await called('Reports.around')
  expect(length).toBeLessThan(10_000)
  expect(JSON.stringify(events)).toContain('reported more than 100000 characters')
})

async function publish(id: string, module: string): Promise<void> {
  const { status, body } = await server.json('POST', '/tools', {
    definition: definition(`${id}@1.0.0`, { name: id.replaceAll(/\W/g, '_') }),
    implementation: { kind: 'code', module },
  })
  expect(status, JSON.stringify(body)).toBe(201)
}

async function called(id: string) {
  const answer = await fetch(`${server.url}/tools/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream' },
    body: JSON.stringify({ request: { tool_id: id, input: {} } }),
  })
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    const data = await answer.text()
    return { events: [{ event: 'result', data }], length: data.length }
  }
  const events: { readonly event: string; readonly data: string }[] = []
  for await (const event of readEvents(answer)) events.push(event)
  return { events, length: events.reduce((sum, { data }) => sum + data.length, 0) }
}
