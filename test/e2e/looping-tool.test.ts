import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOOP, serveSandboxes, toolsAt } from './looping.ts'
import type { ServerProcess } from './process.ts'

let server: ServerProcess
const { call, publish } = toolsAt(() => server)

beforeAll(async () => {
  server = await serveSandboxes()
})
afterAll(() => server?.stop())

it('a code tool that loops times out and is recorded, while the server and other tools still work', async () => {
  await publish('Loop.Forever', LOOP, { timeout_ms: 5_000 })
  await publish('Loop.Ends', 'export default () => 42')
  expect(await call('Loop.Ends')).toMatchObject({ success: true, value: 42 })

  const looping = call('Loop.Forever')
  let isOver = false
  void looping.finally(() => (isOver = true))
  const meanwhile = [
    await server.json('GET', '/health'),
    await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }),
  ]
  expect(isOver).toBe(false)
  expect(meanwhile.map(({ status }) => status)).toEqual([200, 200])

  const { success, error } = await looping
  expect(success).toBe(false)
  expect(error.message).toBe('The tool did not answer within 5 seconds')
  expect(await call('Loop.Ends')).toMatchObject({ success: true, value: 42 })
  // Records come a second behind
  await expect
    .poll(async () => (await server.json('GET', '/calls?outcome=tool-timed-out')).body.items)
    .toMatchObject([{ tool: 'Loop.Forever@1.0.0', outcome: 'tool-timed-out' }])
  expect(server.printed()).toContain("The watchdog ended the sandbox 'shared': a tool in it blocked its process")
})

it('a code tool is disabled the third time, with the reason in the audit log, until an administrator enables it', async () => {
  await publish('Loop.Asked', 'export default ({ loops }) => { while (loops) {} return 42 }', { timeout_ms: 500 })
  const countEnds = () => server.printed().split('The watchdog ended').length
  const before = countEnds()
  const path = '/tools/Loop.Asked@1.0.0'
  // A call that comes while its sandbox starts again may time out before the tool has begun, which counts as no time
  const loopAndRead = async () => {
    expect((await call('Loop.Asked', { loops: true })).success).not.toBe(true)
    return (await server.json('GET', `${path}/versions`)).body.items[0]
  }
  await expect.poll(loopAndRead, { timeout: 60_000, interval: 500 }).toMatchObject({
    status: 'disabled',
    message:
      'The watchdog ended this tool three times and disabled it: the last time it blocked its process and did not return',
  })
  expect(countEnds()).toBeGreaterThanOrEqual(before + 3)
  expect((await call('Loop.Asked')).success).not.toBe(true)
  await expect
    .poll(async () => (await server.json('GET', '/audit?act=tool.change')).body.items, { timeout: 10_000 })
    .toMatchObject([{ principal: 'watchdog', path, about: { status: { state: 'disabled' } } }])

  expect((await server.json('PATCH', path, { status: 'active' })).status).toBe(200)
  await expect.poll(() => call('Loop.Asked'), { timeout: 10_000 }).toMatchObject({ success: true, value: 42 })
})
