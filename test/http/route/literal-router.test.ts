import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { LiteralRouter } from '../../../src/http/route/literal-router.ts'

const send = async (app: Hono, method: string, path: string) => (await app.request(path, { method })).text()

describe('the router of literal paths', () => {
  it('finds what the trie finds, the first time and from then on', async () => {
    const app = new Hono({ router: new LiteralRouter() })
    app.get('/docs/reference', (c) => c.text('reference'))
    app.get('/docs/:guide', (c) => c.text(`guide ${c.req.param('guide')}`))
    app.post('/docs/reference', (c) => c.text('posted'))
    for (let time = 0; time < 3; time++) {
      expect(await send(app, 'GET', '/docs/reference')).toBe('reference')
      expect(await send(app, 'POST', '/docs/reference')).toBe('posted')
      expect(await send(app, 'GET', `/docs/${time}`)).toBe(`guide ${time}`)
      expect(await send(app, 'DELETE', '/docs/reference')).toBe('404 Not Found')
      expect(await send(app, 'POST', '/docs/other')).toBe('404 Not Found')
    }
  })

  it('hands a request on where its handler does', async () => {
    const app = new Hono({ router: new LiteralRouter() })
    app.get('/', async (c, next) => (c.req.query('page') === undefined ? next() : c.text('page')))
    app.get('/', (c) => c.text('other'))
    for (let time = 0; time < 2; time++) {
      expect(await send(app, 'GET', '/?page')).toBe('page')
      expect(await send(app, 'GET', '/')).toBe('other')
    }
  })

  it("has middleware before a method's own handler, and what is for all methods behind it for the others", async () => {
    const app = new Hono({ router: new LiteralRouter() })
    const seen = vi.fn()
    app.use('/mcp', async (_, next) => {
      seen()
      await next()
    })
    app.post('/mcp', (c) => c.text('posted'))
    app.all('/mcp', (c) => c.text('refused'))
    for (let time = 0; time < 2; time++) {
      expect(await send(app, 'POST', '/mcp')).toBe('posted')
      expect(await send(app, 'PURGE', '/mcp')).toBe('refused')
    }
    expect(seen).toHaveBeenCalledTimes(4)
    const alone = new LiteralRouter()
    const route = (method: string, path: string) => ({ basePath: '/', method, path, handler: () => undefined })
    alone.add('POST', '/mcp', [() => undefined, route('POST', '/mcp')])
    alone.add('ALL', '/mcp', [() => undefined, route('ALL', '/mcp')])
    expect(alone.match('POST', '/mcp')[0]).toHaveLength(1)
    expect(alone.match('POST', '/mcp')).toBe(alone.match('POST', '/mcp'))
  })

  it('takes a route that is added after a request', async () => {
    const app = new Hono({ router: new LiteralRouter() })
    app.all('/tools', (c) => c.text('any'))
    app.get('/a', (c) => c.text('a'))
    expect([await send(app, 'GET', '/a'), await send(app, 'GET', '/tools')]).toEqual(['a', 'any'])
    app.get('/tools', (c) => c.text('never'))
    app.post('/a', (c) => c.text('posted'))
    expect(await send(app, 'POST', '/a')).toBe('posted')
    expect(await send(app, 'GET', '/tools')).toBe('any')
  })
})
