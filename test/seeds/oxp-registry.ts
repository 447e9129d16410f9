import { expect } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'

type Fields = Readonly<Record<string, unknown>>

/** Builds a definition with only the fields that OXP 1.0 requires. A field set to undefined is left out. */
export function definition(id: string, fields: Fields = {}) {
  const [name = '', version = '1.0.0'] = id.split('@')
  return {
    id,
    name: name.replaceAll(/\W/g, '_').slice(0, 64),
    description: `What ${name} does.`,
    version,
    input_schema: { parameters: { type: 'object' } },
    output_schema: {},
    ...fields,
  }
}

export const code = (module: string) => ({ kind: 'code', module })
/** Always returns the same value. */
export const giving = (value: unknown) => code(`export default () => (${JSON.stringify(value)})`)
/** Returns its input. */
export const ECHO = code('export default (input) => input')

/** The response to a call that ended with a value. */
export const answered = (value: unknown) => ({
  status: 200,
  body: { $schema: 'urn:oxp:1.0', result: ended({ value }) },
})
/** The response to a call whose tool failed. */
export const failing = (error: Fields) => ({ status: 200, body: { $schema: 'urn:oxp:1.0', result: ended({ error }) } })
/** The response to a call that was refused before its tool ran. */
export const refusal = (status: number, body: Fields) => ({ status, body: { $schema: 'urn:oxp:1.0', ...body } })

/** The response to a call with invalid parameters. */
export const invalid = (parameter_errors: Readonly<Record<string, string>>) =>
  refusal(422, { message: 'Some input parameters are invalid', parameter_errors })

/** Formats a value as problems name it. */
export function got(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > 40 || value.includes('\n') ? `a string of ${value.length} characters` : `'${value}'`
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : JSON.stringify(value)
}

export const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

const ended = (given: Fields) => ({
  call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  success: 'value' in given,
  duration: expect.any(Number),
  ...given,
})

/** Creates a caller's functions for the registry over HTTP. */
export function registry(server: () => RunningServer) {
  async function ask(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await server().json(method, path, body, headers)
    return { status: answer.status, body: answer.body }
  }

  return {
    ask,

    /** Publishes a new definition. */
    async publish(document: { readonly id: string }, implementation?: object): Promise<void> {
      const body = implementation ? { definition: document, implementation } : document
      expect(await ask('POST', '/tools', body)).toEqual({ status: 201, body: { ids: [document.id] } })
    },

    /** Publishes a new definition with the name of another tool: where names must be unique, it is exposed as `called`. */
    async publishNamesake(document: { readonly id: string }, called: string): Promise<void> {
      const body = { definition: document, implementation: giving(1) }
      const warning = { path: '', message: expect.stringContaining(`over MCP this tool is '${called}'`) }
      const answer = { status: 201, body: { ids: [document.id], warnings: [warning] } }
      expect(await ask('POST', '/tools', body)).toEqual(answer)
    },

    /** Publishes an MCP tool that returns 5. */
    async publishTool(toolkit: string, version: string, definition: object): Promise<void> {
      const answer = await ask('POST', '/tools', { definition, toolkit, version, implementation: giving(5) })
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
    },

    /** Returns why a definition is refused: messages by path. */
    async refused(document: unknown): Promise<Record<string, string>> {
      const { status, body } = await ask('POST', '/tools?dialect=oxp', document)
      const { errors, ...rest } = body
      expect({ status, rest, errors }).toEqual({
        status: 422,
        rest: { $schema: 'urn:oxp:1.0', message: 'The definition is not valid' },
        errors: expect.any(Array),
      })
      return Object.fromEntries(errors.map(({ path, message }: Record<string, string>) => [path, message]))
    },

    /** Returns a definition from `GET /tools/{id}`. */
    async read(id: string) {
      const { status, body } = await ask('GET', `/tools/${id}`)
      expect({ status, body }).toMatchObject({ status: 200 })
      return body
    },

    /** Returns a toolkit's definitions from `GET /tools`. */
    async listed(toolkit: string, query = '') {
      const { body } = await ask('GET', `/tools?toolkit=${toolkit}${query}`)
      expect(body).toEqual({ $schema: 'urn:oxp:1.0', items: expect.any(Array) })
      return body.items
    },

    call: (tool_id: string, input?: unknown, context?: object) =>
      ask('POST', '/tools/call', { request: { tool_id, input, context } }),
  }
}
