import { Hono } from 'hono'

/** The minimum cost of a call: a Hono handler that parses a request, adds two numbers and responds. */
const app = new Hono()
app.post('/tools/call', async (c) => {
  const { request } = await c.req.json<{ request: { input: { a: number; b: number } } }>()
  return c.json({ result: { value: request.input.a + request.input.b } })
})
app.get('/health', (c) => c.json({ status: 'ok' }))

export default app
