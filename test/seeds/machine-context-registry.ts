import { expect } from 'vitest'
import type { Draft } from '../dialects/machine-context/calculator.ts'
import type { RunningServer } from '../e2e/server.ts'

export const ADMIN_KEY = 'an-administrators-key-1'
export const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
export const asNobody = {}

/** The parameter types of the specification. */
export const ALL_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'any']

/** Returns its input. */
export const ECHO = { kind: 'code', module: 'export default (input) => input' }
/** Returns the name of the called tool. */
export const SAY = { kind: 'code', module: 'export default (input, { tool }) => tool' }
/** Returns this value. */
export const giving = (value: unknown) => ({ kind: 'code', module: `export default () => (${JSON.stringify(value)})` })

export const parameter = (name: string, type: string, more = {}): Draft => {
  return { name, description: `The ${name}`, type, required: true, ...more }
}
export const capability = (name: string, more = {}): Draft => ({ name, description: `Does ${name}`, ...more })
/** Builds a definition with the required fields. */
export const tool = (id: string, more = {}): Draft => {
  const said = { id, name: `The tool ${id}`, version: '1.0.0', description: 'Is tried' }
  return { ...said, capabilities: [capability('go')], ...more }
}
export const of = (id: string, ...capabilities: unknown[]) => tool(id, { capabilities })
export const taking = (id: string, ...parameters: unknown[]) => of(id, capability('go', { parameters }))
export const returning = (id: string, returned: unknown) => of(id, capability('go', { return: returned }))
export const without = (definition: Draft, field: string) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => name !== field))

export const HEADER = {
  version: '1.0',
  messageId: 'message-1',
  timestamp: '2025-03-21T10:00:00Z',
  messageType: 'request',
  source: 'client-id',
  destination: 'mcp-server',
}
let messages = 0
/** Builds a message with a new id, because the same id would be the same call. */
export const request = (tool: object, more = {}) => ({
  header: { ...HEADER, messageId: `message-${(messages += 1)}` },
  payload: { tool, ...more },
})
export const DONE = { status: 200, code: undefined, result: 'done' }
export const denied = (status: number) => ({ status, code: 'SECURITY_ERROR', result: undefined })

/** Creates functions that use the registry over HTTP in the Machine Context Protocol. */
export function registry(server: () => RunningServer) {
  const publish = (body: unknown, query = '', headers: Record<string, string> = asAdmin) =>
    server().json('POST', `/tools${query}`, body, headers)
  const get = async (path: string, headers: Record<string, string> = asAdmin) =>
    (await server().json('GET', path, undefined, headers)).body

  async function published(body: unknown, query = ''): Promise<Draft> {
    const answer = await publish(body, query)
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
    return answer.body
  }

  /** Returns why a definition is refused: messages by path. */
  async function refusal(definition: unknown, query = ''): Promise<Record<string, string>> {
    const { status, body } = await publish(definition, query)
    expect(status, JSON.stringify(body)).toBe(422)
    return Object.fromEntries(body.errors.map(({ path, message }: Draft) => [path, message]))
  }
  const refused = (definition: unknown, problems: Record<string, unknown>) => async () =>
    expect(await refusal(definition)).toEqual(problems)

  const readBack = (id: string) => get(`/tools/${encodeURIComponent(id)}?format=machine-context`)
  /** Returns the list's entries with an id. */
  const listed = async (id: string, headers: Record<string, string> = asAdmin): Promise<Draft[]> =>
    (await get('/machine-context/tools', headers)).tools.filter((each: Draft) => each.id === id)
  /** Checks that a definition is listed unchanged after it was published. */
  const kept = (definition: Draft) => async () => {
    await published(definition)
    expect(await listed(definition.id)).toEqual([definition])
  }
  /** Checks the same, and that exactly its capabilities can be executed. */
  const keptAndExecuted = (definition: Draft, toolkit?: string) => async () => {
    const names: string[] = definition.capabilities.map(({ name }: Draft) => name)
    const implementations = Object.fromEntries(names.map((name) => [name, giving(name)]))
    await published({ definition, implementations, ...(toolkit === undefined ? {} : { toolkit }) })
    expect(await listed(definition.id)).toEqual([definition])
    for (const name of names) expect(await resultOf(definition.id, name)).toBe(name)
    expect(await errorOf(definition.id, 'another')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
  }

  const send = (message: unknown, headers: Record<string, string> = asAdmin) =>
    server().json('POST', '/machine-context/execute', message, headers)

  /** Executes a capability. */
  async function execute(id: string, capability: string, parameters?: unknown, more = {}): Promise<Draft> {
    const { status, body } = await send(request({ id, capability, parameters, ...more }))
    expect(status, JSON.stringify(body)).toBe(200)
    return body.payload.execution
  }
  async function resultOf(...asked: Parameters<typeof execute>) {
    const { status, result, error } = await execute(...asked)
    expect(status, JSON.stringify(error)).toBe('success')
    return result
  }
  async function errorOf(...asked: Parameters<typeof execute>) {
    const { status, error } = await execute(...asked)
    expect(status).toBe('failure')
    return error
  }

  /** Publishes the tool `types`, with a capability for each type that returns its two parameters of that type. */
  async function publishTypes() {
    const capabilities = ALL_TYPES.map((type) =>
      capability(type, { parameters: [parameter('value', type), parameter('maybe', type, { required: false })] }),
    )
    await published({ definition: of('types', ...capabilities), implementation: ECHO })
  }

  /** Checks that a parameter of this type accepts the value. */
  const takes = (type: string, value: unknown) => async () =>
    expect(await resultOf('types', type, { value })).toEqual({ value })
  const takesNot = (type: string, value: unknown) => async () =>
    expect(await errorOf('types', type, { value })).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'Some parameters are invalid',
      details: { value: expect.stringMatching(new RegExp(`\\b${type}\\b`)) },
    })

  /** Creates a key for these tools. */
  async function keyFor(...tools: string[]) {
    const key = { name: 'seed', scopes: ['tools:read', 'tools:call', 'tools:publish'], tools, users: [] }
    const { body } = await server().json('POST', '/keys', key, asAdmin)
    return { authorization: `Bearer ${body.key}` }
  }

  /** Publishes a tool with this level. Returns a function that executes it, and returns the response. */
  async function levelled(id: string, securityLevel: number) {
    await published({ definition: tool(id, { securityLevel }), implementation: giving('done') })
    return async (headers: Record<string, string>, parameters = {}) => {
      const { status, body } = await send(request({ id, capability: 'go', parameters }), headers)
      return {
        status,
        code: (body.error ?? body.payload.execution.error)?.code,
        result: body.payload?.execution.result,
      }
    }
  }

  return {
    publishTypes,
    publish,
    get,
    published,
    refusal,
    refused,
    readBack,
    listed,
    kept,
    keptAndExecuted,
    send,
    execute,
    resultOf,
    errorOf,
    takes,
    takesNot,
    keyFor,
    levelled,
  }
}
