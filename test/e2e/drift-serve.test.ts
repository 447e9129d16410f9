import { expect, it } from 'vitest'
import { startMcpServer } from '../runners/remote/mcp-server.ts'
import { startProcess } from './process.ts'

const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }
const listed = (description: string) => [
  { definition: { name: 'add', description, inputSchema: { type: 'object' } }, call: () => ({ content: [] }) },
]

it("'npm run serve' compares imported tools with their sources every COMPARISON_SECONDS", async () => {
  const upstream = await startMcpServer('legacy', listed('Adds.'))
  const variables = [`ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${upstream.host}`, 'COMPARISON_SECONDS:1']
  const command = ['npm', 'run', '--silent', 'serve', '--', ...variables.flatMap((each) => ['--var', each])]
  const server = await startProcess(command)
  const from = { mcp: upstream.url }
  expect((await server.json('POST', '/toolkits/import', { toolkit: 'Kit', from }, admin)).status).toBe(201)
  upstream.tools = listed('Adds, and sends.')
  await expect
    .poll(async () => (await server.json('GET', '/findings', undefined, admin)).body.items, { timeout: 20_000 })
    .toMatchObject([{ toolkit: 'Kit', tool: 'add', severity: 'breaking' }])
  await Promise.all([server.stop(), upstream.close()])
}, 120_000)
