import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSession } from '../../../src/cli/context.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { surroundingsOf } from '../surroundings.ts'

const POLICY = { pattern: 'Mail.*', security_level: 8, approval: true }
let server: Server
let isThere: boolean
let warnings: readonly object[] | undefined
let changes: (readonly [method: string | undefined, ifMatch: string | undefined, body: unknown])[]
beforeEach(async () => {
  isThere = true
  warnings = undefined
  changes = []
  server = createServer(async (request, response) => {
    const { method, headers } = request
    if (method === 'GET') {
      response.writeHead(isThere ? 200 : 404, { etag: '"revision-1"' })
      return response.end(JSON.stringify(isThere ? POLICY : { message: 'There is none' }))
    }
    const body = await text(request)
    changes.push([method, headers['if-match'], body === '' ? undefined : JSON.parse(body)])
    return response.end(JSON.stringify({ ...POLICY, warnings }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => void server.close())

async function run(...args: readonly string[]): Promise<string> {
  const { surroundings, printed } = surroundingsOf()
  const open = (options: object) => openSession(options, surroundings, new AbortController().signal)
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await createProgram(open, () => undefined).parseAsync(['policies', ...args, '--url', url], { from: 'user' })
  return printed()
}

it("a change keeps the rules that it does not name, and is sent with the policy's entity tag", async () => {
  await run('set', 'Mail.*', '--security-level', '5', '--secret', 'A', '--secret', 'B')
  const body = { security_level: 5, approval: true, secrets: ['A', 'B'] }
  expect(changes).toEqual([['PUT', '"revision-1"', body]])
})

it('the warning that a policy covers no tool yet is printed, and is not saved as a rule', async () => {
  expect(await run('set', 'Mail.*', '--review')).not.toContain('No tool')
  warnings = [{ path: '', message: "No tool matches 'Mail.*' yet" }]
  const printed = await run('set', 'Mail.*', '--review')
  expect(printed.match(/No tool matches 'Mail\.\*' yet/g)).toHaveLength(1)
  expect(printed).not.toContain('warnings')
})

it('a missing policy is added', async () => {
  isThere = false
  await run('set', 'Mail.*', '--review')
  expect(changes).toEqual([['PUT', undefined, { review: true }]])
})

it('only the policy that was shown is removed', async () => {
  await run('remove', 'Mail.*', '--yes')
  expect(changes).toEqual([['DELETE', '"revision-1"', undefined]])
  await expect(run('remove', 'Mail.*')).rejects.toThrow('Cannot ask without a terminal')
  expect(changes).toHaveLength(1)
})
