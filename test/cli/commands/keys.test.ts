import { createServer, type Server } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSession } from '../../../src/cli/context.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { surroundingsOf } from '../surroundings.ts'

let server: Server
let bodies: unknown[]
beforeEach(async () => {
  bodies = []
  server = createServer(async (request, response) => {
    bodies.push(await json(request))
    response.end('{"id": "1", "name": "an agent", "key": "sb_1"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => void server.close())

async function create(...args: readonly string[]): Promise<void> {
  const open = (options: object) => openSession(options, surroundingsOf().surroundings, new AbortController().signal)
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const all = ['keys', 'create', '--name', 'an agent', ...args, '--url', url]
  await createProgram(open, () => undefined).parseAsync(all, { from: 'user' })
}

it('a key is created with the given limits, as the API expects them', async () => {
  const limits = { rate: { calls: 60, seconds: 60 }, concurrency: 4 }
  await create('--limits', JSON.stringify(limits))
  await create()
  const key = { name: 'an agent', scopes: ['tools:read', 'tools:call'] }
  expect(bodies).toEqual([{ ...key, limits }, key])
})

it('limits that are not a JSON object are refused before anything is sent', async () => {
  await expect(create('--limits', '60')).rejects.toThrow('--limits is not a JSON object')
  expect(bodies).toEqual([])
})
