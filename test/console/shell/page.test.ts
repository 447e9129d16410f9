import { describe, expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { type Routes, setUp } from '../set-up.ts'

const ANN: Principal = {
  id: 'key:1',
  kind: 'key',
  name: 'ann',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: [],
}
const run = async (command: string, routes: Routes) => {
  const world = setUp(routes, ANN)
  const page = await world.post('/console/shell', { command })
  return { ...world, status: page.status, text: await page.text() }
}

describe('the shell of the console', () => {
  it('sends what a command says, as who is signed in, with no header that the command does not have', async () => {
    const { asked, status, text } = await run(
      `curl 'https://switchboard.test/tools/call' -H "Authorization: Bearer $SWITCHBOARD_KEY" -H 'Content-Type: application/json' -d '{"a": 1}'`,
      { 'POST /tools/call': () => ({ big: 1 }) },
    )
    expect(status).toBe(200)
    expect(asked).toHaveLength(1)
    expect([asked[0]?.principal, asked[0]?.body]).toEqual([ANN, '{"a": 1}'])
    expect(Object.fromEntries(asked[0]?.request.headers ?? [])).toEqual({ 'content-type': 'application/json' })
    expect(text).toMatch(/HTTP 200[^]*\{\n {2}&quot;big&quot;: 1\n\}/)
  })

  it('shows a refusal with its status and words, and what is no text not at all', async () => {
    const refused = await run('curl /keys', {
      'GET /keys': () => Response.json({ message: 'This needs <admin>' }, { status: 403 }),
    })
    expect(refused.text).toMatch(/HTTP 403[^]*This needs &lt;admin&gt;/)
    const bytes = await run('curl /x', {
      'GET /x': () => new Response(new Uint8Array([0, 1, 2]), { headers: { 'content-type': 'image/png' } }),
    })
    expect(bytes.text).toContain('no text, so it is not shown: image/png')
    const none = await run('curl -X DELETE /x', { 'DELETE /x': () => new Response(null, { status: 204 }) })
    expect(none.text).toMatch(/HTTP 204[^]*no body/)
  })

  it('shows numbers as they were written, and no cookie', async () => {
    const { text } = await run('curl /x', {
      'GET /x': () =>
        new Response('{"id":12345678901234567890,"a":1e400}', {
          headers: { 'content-type': 'application/json', 'set-cookie': 'a=secret', 'etag': '"e"' },
        }),
    })
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('1e400')
    expect(text).toContain('etag: &quot;e&quot;')
    expect(text).not.toContain('secret')
  })

  it('reads no more of an endless answer than it shows', async () => {
    let pulled = 0
    let isCancelled = false
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled += 1
        controller.enqueue(new TextEncoder().encode('é'.repeat(5_000)))
      },
      cancel: () => {
        isCancelled = true
      },
    })
    const { text } = await run('curl /x', {
      'GET /x': () => new Response(endless, { headers: { 'content-type': 'text/plain' } }),
    })
    expect([isCancelled, pulled < 20]).toEqual([true, true])
    expect(text).toContain('It is longer')
  })

  it('sends nothing that it cannot read, and keeps what was written', async () => {
    const { asked, status, text } = await run(`curl 'https://evil.test/' -H "X: <b>"`, {})
    expect([asked, status]).toEqual([[], 400])
    expect(text).toContain('Nothing was sent')
    expect(text).toContain('X: &#60;b&#62;')
  })

  it('goes nowhere else by a path that looks like a host', async () => {
    const { asked, status } = await run(`curl 'https://switchboard.test//evil.test/x'`, {})
    expect([asked, status]).toEqual([[], 404])
  })

  it('runs nothing by an address, and is not for the anonymous', async () => {
    const { get, asked } = setUp({}, ANN)
    const text = await (await get('/console/shell?command=curl%20/tools')).text()
    expect([asked.length, text.includes('curl /tools')]).toEqual([0, false])
    const anonymous = setUp({ 'GET /tools': () => ({ items: [] }), 'GET /toolkits': () => ({ items: [] }) }, ANONYMOUS)
    expect((await anonymous.post('/console/shell', { command: 'curl /tools' })).status).toBe(302)
    expect(anonymous.asked).toEqual([])
    expect(await (await anonymous.get('/')).text()).not.toContain('name="command"')
  })

  it('stands at the foot of every page, with the first request that only reads', async () => {
    const { get } = setUp({ 'GET /tools': () => ({ items: [] }), 'GET /toolkits': () => ({ items: [] }) }, ANN)
    const [, foot = ''] = (await (await get('/?q=x')).text()).split('<footer>')
    expect(foot).toMatch(
      /action="\/console\/shell#answer"[^]*curl &#39;https:\/\/switchboard.test\/tools\?q=x&#38;format=summary&#38;limit=30&#39;<\/textarea>/,
    )
  })
})
