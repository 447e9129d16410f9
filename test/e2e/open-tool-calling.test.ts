import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFINITION } from '../dialects/open-tool-calling/example.ts'
import { type Server, startServer } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const invoke = (tool: object, inputs: object = {}, more: object = {}) =>
  server.json('POST', '/worker/tools/invoke', { tool, inputs, ...more })

describe('an engine', () => {
  it('finds the worker healthy, and its tools', async () => {
    expect((await server.json('GET', '/worker/health')).body).toEqual({ status: 'ok' })
    const { status, body } = await server.json('GET', '/worker/tools')
    expect(status).toBe(200)
    expect(body.map((each: { fully_qualified_name: string }) => each.fully_qualified_name)).toContain(
      'Calculator.Add@1.0.0',
    )
  })

  it('calls a tool, however it names it', async () => {
    const request = { run_id: 'run_1', execution_id: 'te_1', created_at: '2026-01-01T00:00:00Z', context: {} }
    const { status, body } = await invoke(
      { name: 'add', toolkit: 'calculator', version: null },
      { a: 1, b: 5 },
      request,
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      execution_id: 'te_1',
      success: true,
      duration: expect.any(Number),
      finished_at: expect.stringMatching(/Z$/),
      output: { value: 6 },
    })
    for (const tool of [{ name: 'Calculator_Add' }, { name: 'Add' }, { name: 'Calculator.Add', version: '1.0.0' }]) {
      expect((await invoke(tool, { a: 1, b: 2 })).body.output).toEqual({ value: 3 })
    }
  })

  it('is told what is wrong with a call, in a response', async () => {
    const bad = await invoke({ name: 'Add', toolkit: 'Calculator' }, { a: 'x' })
    expect(bad).toMatchObject({ status: 200, body: { success: false, output: { error: { can_retry: true } } } })
    const unknown = await invoke({ name: 'Nope', toolkit: 'Calculator' })
    expect(unknown).toMatchObject({ status: 200, body: { success: false, output: { error: {} } } })
    expect((await server.json('POST', '/worker/tools/invoke', { foo: 1 })).status).toBe(400)
  })

  it('is asked for what a person must grant', async () => {
    const { body } = await invoke({ name: 'GetEmails', toolkit: 'Gmail' }, {}, { context: { user_id: 'bob' } })
    expect(body).toMatchObject({
      success: false,
      output: { requires_authorization: { id: expect.any(String), url: expect.any(String), status: 'not_started' } },
    })
  })

  it('publishes a definition and has it back', async () => {
    const published = await server.json('POST', '/tools', {
      ...DEFINITION,
      name: 'Find',
      fully_qualified_name: 'Gmail.Find@1.2.0',
    })
    expect(published).toMatchObject({ status: 201, body: { ids: ['Gmail.Find@1.2.0'] } })
    const { body } = await server.json('GET', '/tools/Gmail.Find?format=open-tool-calling')
    expect(body).toEqual({ ...DEFINITION, name: 'Find', fully_qualified_name: 'Gmail.Find@1.2.0' })
  })
})
