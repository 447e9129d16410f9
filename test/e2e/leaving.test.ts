import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gate, startGate } from './gate.ts'
import { sendAndHangUp } from './raw.ts'
import { type Server, startServer } from './server.ts'

/** Calls whose caller resets the connection before a JSON answer. On workerd, which alone tells the Worker. */

let gate: Gate
let server: Server
beforeAll(async () => {
  gate = await startGate()
  server = await startServer({ vars: { ALLOW_HTTP_HOSTS: gate.host } })
})
afterAll(() => Promise.all([server?.stop(), gate?.close()]))

const TOOL = 'Fixture.Progress@1.0.0'

/** Leaves while the tool waits for its server. */
function callAndLeave(callId?: string): Promise<void> {
  const body = JSON.stringify({ request: { call_id: callId, tool_id: TOOL, input: { gate: gate.origin } } })
  const headers = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const begun = gate.come(gate.arrived.length + 1)
  return sendAndHangUp(server.url, `POST /tools/call HTTP/1.1\r\n${headers}\r\n\r\n${body}`, begun)
}

async function outcomes(): Promise<readonly string[]> {
  const { body } = await server.json('GET', '/calls')
  return body.items.map((each: any) => each.outcome)
}

it('a call without an id is recorded as canceled when its caller disconnects', async () => {
  await callAndLeave()
  await expect.poll(outcomes, { timeout: 10_000 }).toEqual(['cancelled'])
})

it('a call with an id is recorded as successful after its caller disconnected', async () => {
  const before = gate.arrived.length
  await callAndLeave('left')
  for (const count of [1, 2, 3]) {
    await gate.come(before + count)
    gate.open()
  }
  await expect.poll(outcomes, { timeout: 10_000 }).toEqual(['success', 'cancelled'])
})
