import { afterAll, beforeAll, expect, it } from 'vitest'
import { describing } from '../plugins/describing.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const ADMIN_KEY = 'admin-key-of-this-test'
const PLUGIN = describing(
  JSON.stringify({ tools: [{ name: 'one', description: 'A tool', inputSchema: { type: 'object' } }] }),
)

let server: RunningServer

beforeAll(async () => {
  server = await startApp({
    vars: { ACCESS: 'keys', ADMIN_KEY, BOX_KEY: 'a-secret-of-the-box', TOOL_SECRETS: { BOX_KEY: ['Box.*'] } },
  })
}, 120_000)
afterAll(() => server?.stop())

async function request(method: string, path: string, body: unknown, key?: string) {
  const isPlugin = body instanceof Uint8Array
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: {
      'content-type': isPlugin ? 'application/wasm' : 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: isPlugin ? new Uint8Array(body) : JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

async function keyFor(...tools: string[]): Promise<string> {
  const made = await request(
    'POST',
    '/keys',
    { name: 'a key', scopes: ['tools:publish', 'tools:call'], tools },
    ADMIN_KEY,
  )
  return JSON.parse(made.text).key
}

const upload = (toolkit: string, query: string, key?: string) =>
  request('PUT', `/toolkits/${toolkit}/plugin?${query}`, PLUGIN, key)

const codeTool = (id: string) => ({
  definition: definition(`${id}@1.0.0`, { requirements: { secrets: [{ id: 'BOX_KEY' }] } }),
  implementation: {
    kind: 'code',
    module: 'export default () => 1',
    allowed_hosts: ['evil.example'],
    credentials: [{ secret: 'BOX_KEY', in: 'header', name: 'X' }],
  },
})

it('a plugin cannot be uploaded without a credential that may publish', async () => {
  expect(await upload('Box', 'version=1.0.0')).toMatchObject({ status: 401 })
  const reader = await request('POST', '/keys', { name: 'reader', scopes: ['tools:read'] }, ADMIN_KEY)
  expect(await upload('Box', 'version=1.0.0', JSON.parse(reader.text).key)).toMatchObject({ status: 403 })
})

it('a plugin can be uploaded only into a toolkit that the key covers', async () => {
  expect(await upload('Box', 'version=1.0.0', await keyFor('Other.*'))).toMatchObject({ status: 403 })
  expect(await upload('Box', 'version=1.0.0', await keyFor('Box.one'))).toMatchObject({ status: 403 })
  expect(await upload('Any', 'version=1.0.0', await keyFor('*'))).toMatchObject({ status: 201 })
})

it('a plugin can be uploaded with a secret of the deployment only by a key that names the toolkit', async () => {
  const query = 'version=1.0.0&config=key:BOX_KEY'
  expect(await upload('Box', query, await keyFor('*'))).toMatchObject({ status: 403 })
  expect(await upload('Box', query, await keyFor('Box.*'))).toMatchObject({ status: 201 })
})

it('a code tool can be published with a secret of the deployment only by a key that names it', async () => {
  expect(await request('POST', '/tools', codeTool('Box.Code'), await keyFor('*'))).toMatchObject({ status: 403 })
  expect(await request('POST', '/tools', codeTool('Box.Code'), await keyFor('Box.Code'))).toMatchObject({
    status: 201,
  })
})
