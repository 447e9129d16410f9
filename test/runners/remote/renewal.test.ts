import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type Arrived, type Upstream, startUpstream } from '../../upstream.ts'
import { modernPrior } from '../../../src/runners/remote/mcp/known-revisions.ts'
import { callRemote, upstreamDeps } from './set-up.ts'

let server: Upstream | undefined
afterEach(() => server?.close())

const credentials = [{ authorization: 'acme', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]

/** Calls a tool with an old token on a server that accepts only one token; `renew` returns replacements. */
async function call(protocol: 'mcp' | 'oxp', renewed: readonly string[]) {
  server = await startUpstream((request: Arrived, response: ServerResponse) => {
    const isIn = request.headers['authorization'] === 'Bearer new'
    if (!isIn) return void response.writeHead(401).end('Who are you?')
    response.writeHead(200, { 'content-type': 'application/json' })
    const { id } = JSON.parse(request.body || '{}')
    const result = { content: [{ type: 'text', text: 'hello' }], resultType: 'complete' }
    return void response.end(
      JSON.stringify(protocol === 'mcp' ? { jsonrpc: '2.0', id, result } : { success: true, value: 'hello' }),
    )
  })
  const deps = upstreamDeps(server.host)
  const url = `${server.origin}/there`
  // Known to be of this era, so that the only request is the call's own
  if (protocol === 'mcp') deps.revisions.set(url, modernPrior('2026-07-28'))
  const asked: string[] = []
  const left = [...renewed]
  const result = await callRemote(
    deps,
    { url, tool: 'Say', protocol },
    {
      implementation: { credentials },
      tokens: { acme: 'old' },
      context: {
        renew: async (provider, refused) => {
          asked.push(`${provider} ${refused}`)
          return left.shift()
        },
      },
    },
  )
  return { result, asked }
}

describe.each(['oxp', 'mcp'] as const)('a user token that an %s server refuses', (protocol) => {
  test(`a user token that an ${protocol} server refuses is replaced, and the call is made once more`, async () => {
    const { result, asked } = await call(protocol, ['new'])
    expect(asked).toEqual(['acme old'])
    expect(result).toMatchObject({ ok: true, value: 'hello' })
  })

  test(`a user token that an ${protocol} server refuses fails the call if there is no other, or that one is refused too`, async () => {
    const first = await call(protocol, [])
    expect(first.asked).toEqual(['acme old'])
    expect(first.result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('401') } })
    await server?.close()
    const second = await call(protocol, ['other'])
    expect(second.asked).toEqual(['acme old', 'acme other'])
    expect(second.result).toMatchObject({ ok: false })
    expect(JSON.stringify(second.result)).not.toMatch(/\bold\b|other\b(?! credentials)/)
  })
})
