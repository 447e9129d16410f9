import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { surroundingsOf } from '../surroundings.ts'

const listed = (name: string) => ({
  name: `Mail_${name}`,
  inputSchema: { type: 'object' },
  _meta: { 'dev.switchboard/id': `Mail.${name}@1.0.0` },
})

it('a lock has the tools of all pages of a list, sorted', async () => {
  const cursors: unknown[] = []
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/skills')) return void response.end('{"items":[]}')
    const { params } = JSON.parse(await text(request))
    cursors.push(params.cursor)
    const page = params.cursor === 'next' ? { tools: [listed('A')] } : { tools: [listed('B')], nextCursor: 'next' }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: page }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const { surroundings, printed } = surroundingsOf()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  expect(await run(['lock', '--url', url], surroundings, new AbortController().signal)).toBe(0)
  server.close()
  expect(cursors).toEqual([undefined, 'next'])
  expect(Object.keys(JSON.parse(printed()).tools)).toEqual(['Mail_A', 'Mail_B'])
})
