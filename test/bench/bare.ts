import { Hono } from 'hono'

/** What every call costs at least: a Hono handler that parses a request, adds two numbers and answers. */
const app = new Hono()
app.post('/tools/call', async (c) => {
  const { request } = await c.req.json<{ request: { input: { a: number; b: number } } }>()
  return c.json({ result: { value: request.input.a + request.input.b } })
})
app.get('/health', (c) => c.json({ status: 'ok' }))

export default app
