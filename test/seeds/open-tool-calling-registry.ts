import Ajv from 'ajv'
import { expect } from 'vitest'
import type { Answer } from '../e2e/json.ts'
import type { RunningServer } from '../e2e/server.ts'
import { hasShared, readShared } from '../shared.ts'

const HOME = 'https://github.com/ArcadeAI/OpenToolCalling/tree/main/specification/http/1.0'
export const DEFINITION_SCHEMA = `${HOME}/tool_definition.schema.json`
export const REQUEST_SCHEMA = `${HOME}/execute_tool_request.schema.json`
export const RESPONSE_SCHEMA = `${HOME}/execute_tool_response.schema.json`

type Fields = Readonly<Record<string, unknown>>
type Kind = 'tool_definition' | 'execute_tool_request' | 'execute_tool_response'

const FOLDER = 'specs/open-tool-calling/http/1.0'
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'uri': (text) => URL.canParse(text), 'date-time': (text) => !Number.isNaN(Date.parse(text)) },
})

/** Check a document against the RFC's schemas; they find nothing if the schemas are not next to the clone. */
export const faultsOf = {
  definition: checker('tool_definition'),
  request: checker('execute_tool_request'),
  // The schema requires a field that it does not define; it defines `execution_id`
  response: checker('execute_tool_response', { required: ['execution_id', 'finished_at', 'success'] }),
}

function checker(kind: Kind, corrected: Fields = {}): (document: unknown) => readonly unknown[] {
  const path = `${FOLDER}/${kind}.schema.json`
  if (!hasShared(path)) return () => []
  const validate = ajv.compile({ ...JSON.parse(readShared(path)), ...corrected })
  return (document) => (validate(document) ? [] : (validate.errors ?? []))
}

/** Builds a definition of the toolkit `Rfc` with only the fields that the schema requires, which `given` overrides. */
export function definitionOf(name: string, given: Fields = {}): Fields {
  return {
    name,
    fully_qualified_name: `Rfc.${name}@1.0.0`,
    toolkit: { name: 'Rfc', version: '1.0.0' },
    input: { parameters: [] },
    output: { available_modes: ['value', 'error'] },
    ...given,
  }
}

/** Builds a parameter with everything that the schema requires. */
export const parameter = (name: string, value_schema: Fields, given: Fields = {}): Fields => ({
  name,
  required: false,
  value_schema,
  ...given,
})

/** Builds a code tool that returns the value of an expression over `input` and `ctx`. */
export const code = (expression: string): Fields => ({
  kind: 'code',
  module: `export default async (input, ctx) => (${expression})`,
})
/** Builds a code tool that throws the value of an expression. */
export const throwing = (expression: string): Fields => ({
  kind: 'code',
  module: `export default async (input, ctx) => { throw ${expression} }`,
})
export const ECHO = code('input')

/** Builds a request with everything that the schema requires. */
export function requestOf(tool: Fields, given: Fields = {}): Fields {
  return {
    run_id: crypto.randomUUID(),
    execution_id: crypto.randomUUID(),
    created_at: new Date().toISOString(),
    tool,
    inputs: {},
    context: {},
    ...given,
  }
}

/** Publishes and calls tools of the RFC. */
export interface Agent {
  /** Publishes a definition that may be refused. */
  publish(definition: unknown, implementation?: Fields, beside?: Fields): Promise<Answer>
  /** Publishes a tool of the toolkit `Rfc` with a new name, and returns the name. */
  tool(given: Fields, implementation?: Fields): Promise<string>
  /** Returns why a definition is refused: `{path, message}` of each fault. */
  faults(definition: Fields): Promise<readonly unknown[]>
  /** Returns a definition as listed. */
  listed(qualified: string): Promise<Answer['body']>
  /** Sends any request. */
  send(request: unknown): Promise<Answer>
  /** Calls a tool of the toolkit `Rfc` with a valid request, and returns the response, which is valid. */
  call(name: string, inputs?: Fields, context?: Fields): Promise<Answer['body']>
}

export function agentOf(server: () => RunningServer, headers: Readonly<Record<string, string>> = {}): Agent {
  let count = 0
  const json: RunningServer['json'] = (method, path, body) => server().json(method, path, body, headers)
  const agent: Agent = {
    publish: (definition, implementation, beside = {}) =>
      json('POST', '/tools', { definition, ...(implementation ? { implementation } : {}), ...beside }),
    async tool(given, implementation = ECHO) {
      const name = `Tool${++count}`
      const { status, body } = await agent.publish(definitionOf(name, given), implementation)
      expect(status, JSON.stringify(body)).toBe(201)
      return name
    },
    async faults(definition) {
      const { status, body } = await agent.publish(definition)
      expect(status, JSON.stringify(body)).toBe(422)
      return body.errors
    },
    async listed(qualified) {
      const { body } = await json('GET', '/worker/tools')
      return body.find((each: Fields) => each['fully_qualified_name'] === qualified)
    },
    send: (request) => json('POST', '/worker/tools/invoke', request),
    async call(name, inputs = {}, context = {}) {
      const request = requestOf({ name, toolkit: 'Rfc', version: '1.0.0' }, { inputs, context })
      expect(faultsOf.request(request)).toEqual([])
      const { status, body } = await agent.send(request)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(faultsOf.response(body), JSON.stringify(body)).toEqual([])
      return body
    },
  }
  return agent
}
