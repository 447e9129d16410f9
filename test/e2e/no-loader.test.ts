import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assemble } from '../plugins/compile.ts'
import { startProcess } from './process.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const NEEDS = /needs the binding LOADER \(Workers paid plan\): add \[\[worker_loaders\]\]/

const code = {
  definition: definition('Code.Here@1.0.0'),
  implementation: {
    kind: 'code',
    module: 'export default async () => (await fetch("https://api.example.com/a")).text()',
    allowed_hosts: ['api.example.com'],
  },
}

let server: RunningServer

async function request(method: string, path: string, body: unknown, type = 'application/json') {
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { 'content-type': type },
    body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

describe('a deployment without a Worker Loader', () => {
  beforeAll(async () => {
    server = await startApp({ vars: { ACCESS: 'open' }, loader: false })
  }, 120_000)
  afterAll(() => server?.stop())

  it('a deployment without a Worker Loader publishes and lists code tools, and a call of one says what it needs', async () => {
    expect(await request('POST', '/tools', code)).toMatchObject({ status: 201 })
    const { status, body } = await request('POST', '/tools/call', { tool_id: 'Code.Here', input: {} })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toMatch(NEEDS)
  })

  it('a deployment without a Worker Loader refuses plugins and says what they need', async () => {
    const plugin = assemble('(module (func (export "describe")) (func (export "call")))')
    const { status, body } = await request('PUT', '/toolkits/Box/plugin?version=1.0.0', plugin, 'application/wasm')
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toMatch(NEEDS)
  })

  it('a deployment without a Worker Loader does everything else', async () => {
    const { body } = await request('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
    expect(body.result).toMatchObject({ success: true, value: 3 })
  })
})

describe('the production bundle with a Worker Loader', () => {
  beforeAll(async () => {
    server = await startApp({
      vars: { ACCESS: 'open' },
      async outbound(asked) {
        const { Response } = await import('miniflare')
        return new Response(`${asked.method} ${asked.url}`)
      },
    })
  }, 120_000)
  afterAll(() => server?.stop())

  it('the production bundle with a Worker Loader runs code tools', async () => {
    expect(await request('POST', '/tools', code)).toMatchObject({ status: 201 })
    const { body } = await request('POST', '/tools/call', { tool_id: 'Code.Here', input: {} })
    expect(body.result).toMatchObject({ success: true, value: 'GET https://api.example.com/a' })
  })
})

it('a Worker that exports nothing for sandboxes is served by npm run serve', async () => {
  const bare = ['--config', 'test/bench/wrangler.toml', '--entry', 'bare.js', '--outdir', 'dist/no-loader']
  const served = await startProcess(['node', 'src/node/serve.ts', ...bare])
  try {
    expect(await served.json('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
  } finally {
    await served.stop()
  }
})
