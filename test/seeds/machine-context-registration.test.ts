import { afterAll, beforeAll, expect } from 'vitest'
import { CALCULATOR, type Draft } from '../dialects/machine-context/calculator.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { raw } from '../e2e/raw.ts'
import { type RunningServer, startApp } from '../e2e/server.ts'
import {
  ADMIN_KEY,
  ECHO,
  HEADER,
  SAY,
  asAdmin,
  asNobody,
  capability,
  giving,
  of,
  parameter,
  registry,
  request,
  returning,
  taking,
  tool,
} from './machine-context-registry.ts'
import { refusedPlaces, WITH_REFUSED_PATTERNS } from './refused-patterns.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** Registration, versions and the example. `machine-context` covers the document's earlier parts. */
const { works, deviates, aside, whole } = openDocument('machine-context-tool-definition.txt', 'machine-context')

let server: RunningServer
beforeAll(async () => {
  server = withoutNeighbours(await startApp({ vars: { ACCESS: 'public', ADMIN_KEY } }))
  await publishTypes()
})
afterAll(() => server?.stop())
const {
  errorOf,
  execute,
  get,
  keptAndExecuted,
  keyFor,
  levelled,
  listed,
  publish,
  publishTypes,
  published,
  readBack,
  refusal,
  refused,
  resultOf,
  send,
} = registry(() => server)

const ID_ROW = 'id: "Unique identifier for the tool"'

aside('--- description: … | any | Any valid JSON value | _Any value_ |')

aside('## Implementation Guidelines', '### Tool Registration')
const VALIDATED = 'When registering a tool: 1. The tool definition must be validated against this schema'
works(VALIDATED, 'every breach is named at once', async () => {
  const problems = await refusal({ id: 'a\nb', version: '1', capabilities: [{}], securityLevel: 11, extra: true })
  expect(Object.keys(problems).toSorted()).toEqual([
    '/capabilities/0/description',
    '/capabilities/0/name',
    '/description',
    '/extra',
    '/id',
    '/name',
    '/securityLevel',
    '/version',
  ])
})
works(VALIDATED, 'what is refused is not there', async () => {
  await refusal(tool('refused', { securityLevel: 11 }))
  expect(await listed('refused')).toEqual([])
  expect(await errorOf('refused', 'go')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(VALIDATED, 'no JSON', async () => {
  const headers = { ...asAdmin, 'content-type': 'application/json' }
  const { status, text } = await raw(server.url, { method: 'POST', path: '/tools', headers, body: '{"id": "a",}' })
  expect([status, JSON.parse(text).message]).toEqual([400, expect.stringContaining('line 1')])
})
works(VALIDATED, 'no object', async () => {
  expect(await publish('calculator')).toMatchObject({ status: 422 })
})
works(VALIDATED, 'schemas within parameters', async () => {
  const problems = await refusal(
    taking(
      'x',
      parameter('p', 'array', { items: { type: 'text' } }),
      parameter('q', 'array', { items: { $ref: '#' } }),
    ),
  )
  expect(Object.keys(problems).toSorted()).toEqual([
    '/capabilities/0/parameters/0/items/type',
    '/capabilities/0/parameters/1/items/$ref',
  ])
})
deviates(VALIDATED, 'patterns that cannot be judged in linear time', 'patterns (`pattern`', async () => {
  const problems = await refusal(taking('x', parameter('p', 'array', { items: WITH_REFUSED_PATTERNS })))
  expect(Object.keys(problems).toSorted()).toEqual(refusedPlaces('/capabilities/0/parameters/0/items'))
})
const UNIQUE = '2. Tool IDs must be unique within the system'
const UNIQUE_ROW = '"Tool IDs must be unique within the system"'
works(UNIQUE, 'the same again is what there is', async () => {
  const { ids } = await published(tool('again'))
  expect(await publish(tool('again'))).toMatchObject({ status: 200, body: { ids } })
  expect(await listed('again')).toEqual([tool('again')])
})
works(UNIQUE, 'another of that id and version', async () => {
  await published(tool('other'))
  expect(await publish(tool('other', { description: 'Another' }))).toMatchObject({ status: 409 })
  expect(await publish(of('other', capability('stop')))).toMatchObject({ status: 409 })
  expect(await publish({ definition: tool('other'), implementation: SAY })).toMatchObject({ status: 409 })
  expect(await listed('other')).toEqual([tool('other')])
})
works(UNIQUE, 'nor in another toolkit', async () => {
  await published(tool('elsewhere'))
  const { status, body } = await publish({ definition: tool('elsewhere'), toolkit: 'Else' })
  expect([status, body.message]).toEqual([409, expect.stringContaining("in the toolkit 'elsewhere'")])
  expect((await listed('elsewhere')).length).toBe(1)
})
deviates(UNIQUE, 'an id of which another has the toolkit', UNIQUE_ROW, async () => {
  await published(tool('same-kit'))
  const { status, body } = await publish(tool('same.kit'))
  expect([status, body.message]).toEqual([409, expect.stringContaining('toolkit')])
  expect(await published({ definition: tool('same.kit'), toolkit: 'SameKit' })).toEqual({ ids: ['SameKit.go@1.0.0'] })
})
works(UNIQUE, 'the calculator that is there, with a plain key', async () => {
  const ids = ['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0']
  expect(await publish(CALCULATOR, '', await keyFor('*'))).toMatchObject({ status: 200, body: { ids } })
})
deviates(UNIQUE, 'in another case', ID_ROW, async () => {
  await published(tool('incase'))
  expect(await publish(tool('InCase', { version: '2.0.0' }))).toMatchObject({ status: 409 })
})
deviates(UNIQUE, 'that of the bundled calculator', UNIQUE_ROW, async () => {
  expect(await publish({ ...CALCULATOR, description: 'Mine' })).toMatchObject({ status: 409 })
  expect(await publish({ definition: CALCULATOR, implementation: SAY })).toMatchObject({ status: 409 })
})
const UNIQUE_WITHIN = '3. Capability names must be unique within a tool'
works(
  UNIQUE_WITHIN,
  'not twice',
  refused(of('x', capability('a'), capability('b'), capability('a')), {
    '/capabilities/2/name': "Must be unique, got 'a' again",
  }),
)
works(UNIQUE_WITHIN, 'but in two tools', async () => {
  await keptAndExecuted(of('within1', capability('a')))()
  await keptAndExecuted(of('within2', capability('a')))()
})
const WITHIN_ROW = '"Capability names must be unique within a tool"'
deviates(
  UNIQUE_WITHIN,
  'in another case',
  WITHIN_ROW,
  keptAndExecuted(of('cases', capability('add'), capability('ADD'))),
)
deviates(
  UNIQUE_WITHIN,
  'in characters that names of tools do not have',
  WITHIN_ROW,
  keptAndExecuted(of('characters', capability('a b'), capability('a.b'), capability('a_b'))),
)
const HONORED = '4. Security levels must be honored during execution'
works(HONORED, 'of every capability', async () => {
  const definition = { ...of('honored', capability('a'), capability('b')), securityLevel: 4 }
  await published({ definition, implementation: SAY })
  const key = await keyFor('*')
  expect(await send(request({ id: 'honored', capability: 'a' }), key)).toMatchObject({ status: 403 })
  expect(await send(request({ id: 'honored', capability: 'b' }), key)).toMatchObject({ status: 403 })
})
works(HONORED, 'by the toolkit’s name too', async () => {
  const definition = tool('honored-kit', { securityLevel: 1 })
  await published({ definition, toolkit: 'HonoredKit', implementation: SAY })
  const message = request({ id: 'HonoredKit', capability: 'go' })
  expect(await send(message, asNobody)).toMatchObject({ status: 401 })
  expect(await send(message)).toMatchObject({ status: 200 })
})
works(HONORED, 'in the other dialects', async () => {
  await levelled('honored1', 1)
  const post = async (path: string, body: object) => (await server.json('POST', path, body, asNobody)).status
  expect(await post('/tools/call', { tool_id: 'honored1.go' })).toBe(401)
  expect(await post('/plugin/call', { params: { name: 'honored1_go' } })).toBe(401)
  const tool = { name: 'go', toolkit: 'honored1', version: '1.0.0' }
  const invocation = { execution_id: 'e', created_at: '2025-03-21T10:00:00Z', tool, inputs: {}, context: {} }
  expect(await post('/worker/tools/invoke', invocation)).toBe(401)
})
works(HONORED, 'before anything runs or is said of the parameters', async () => {
  await published({ definition: { ...taking('first', parameter('p', 'any')), securityLevel: 1 }, implementation: ECHO })
  const { status, body } = await send(request({ id: 'first', capability: 'go', parameters: {} }), asNobody)
  expect([status, body.error.code, JSON.stringify(body)]).toEqual([
    401,
    'SECURITY_ERROR',
    expect.not.stringContaining('required'),
  ])
})
deviates(
  HONORED,
  'as it comes, whoever signs in with another key approves',
  '"Security levels must be honored"',
  async () => {
    await published({ definition: tool('honored10', { securityLevel: 10 }), implementation: giving('done') })
    const key = await keyFor('honored10.*')
    const go = () => send(request({ id: 'honored10', capability: 'go' }), key)
    const { code, details } = (await go()).body.payload.execution.error
    expect(code).toBe('SECURITY_ERROR')
    const [{ url }] = details.authorization
    const enter = async (text: string) => {
      const who = new HttpPerson()
      return who
        .press(await who.open(url.replace(/\/authorizations.*/, '/sign-in')), /Sign in/, { key: text })
        .then(() => who)
    }
    const own = await enter(key.authorization.replace('Bearer ', ''))
    expect((await own.open(url)).text).toContain('somebody else')
    const other = await enter(ADMIN_KEY)
    expect((await other.press(await other.open(url), /approve/i)).text).toContain('You approved')
    expect((await go()).body.payload.execution.result).toBe('done')
  },
)
deviates(HONORED, 'where nobody can say who approves', '"Security levels must be honored"', async () => {
  await published({ definition: tool('honored8', { securityLevel: 8 }), implementation: SAY })
  const { status, body } = await send(request({ id: 'honored8', capability: 'go' }))
  expect([status, body.error]).toEqual([
    403,
    { code: 'SECURITY_ERROR', message: expect.stringContaining("must set 'SIGN_IN_ISSUER'") },
  ])
})

aside('### Versioning')
const SEMANTIC = 'Tool definitions follow semantic versioning:'
/** Publishes versions of a tool that return their version. Returns a function that resolves a version range. */
async function versioned(id: string, ...versions: string[]) {
  for (const version of versions) {
    await published({ definition: tool(id, { version }), implementation: giving(version) })
  }
  return (version?: string) => resultOf(id, 'go', {}, version === undefined ? {} : { version })
}
works(SEMANTIC, 'the newest is executed', async () => {
  const at = await versioned('newest', '1.9.0', '1.10.0', '1.2.0')
  expect(await at()).toBe('1.10.0')
})
works(SEMANTIC, 'the newest is listed', async () => {
  await versioned('newest-listed', '1.0.0', '2.0.0')
  expect(await listed('newest-listed')).toEqual([tool('newest-listed', { version: '2.0.0' })])
})
works(SEMANTIC, 'each stays what it was', async () => {
  const at = await versioned('stays', '1.0.0', '1.1.0')
  expect([await at('1.0.0'), await at('1.1.0')]).toEqual(['1.0.0', '1.1.0'])
  expect(await readBack('stays.go@1.0.0')).toEqual(tool('stays'))
})
works(SEMANTIC, 'ranges', async () => {
  const at = await versioned('ranges', '1.0.0', '1.2.0', '1.2.3', '2.0.0')
  expect([await at('^1.0.0'), await at('~1.2.0'), await at('1.x'), await at('>=1 <1.2'), await at('latest')]).toEqual([
    '1.2.3',
    '1.2.3',
    '1.2.3',
    '1.0.0',
    '2.0.0',
  ])
})
works(SEMANTIC, 'pre-releases are asked for', async () => {
  const at = await versioned('pre-releases', '1.0.0', '2.0.0-beta.2', '2.0.0-beta.11')
  expect([await at(), await at('^1.0.0'), await at('>=2.0.0-beta.1')]).toEqual(['1.0.0', '1.0.0', '2.0.0-beta.11'])
})
works(SEMANTIC, 'one that there is not', async () => {
  await versioned('absent', '1.0.0', '1.1.0')
  expect(await errorOf('absent', 'go', {}, { version: '2.0.0' })).toEqual({
    code: 'NOT_FOUND_ERROR',
    message: "Version '2.0.0' of tool 'absent.go' is not available: there is '1.0.0', '1.1.0'",
    details: { available: ['1.0.0', '1.1.0'] },
  })
})

/** Publishes two versions of a definition. Returns the ids of the second, or why it is refused. */
async function followed(first: Draft, version: string, change: Draft, query = ''): Promise<string[]> {
  await published(first)
  const { status, body } = await publish({ ...first, version, ...change }, query)
  expect(status, JSON.stringify(body)).toBe(body.ids ? 201 : 422)
  return body.ids ?? body.errors.map(({ message }: Draft) => message.replace(/ \(publish with.*/, ''))
}
const pair = (id: string) => of(id, capability('add'), capability('subtract'))
const one = { capabilities: [capability('add')] }
const three = { capabilities: [capability('add'), capability('subtract'), capability('multiply')] }
const MAJOR = 'MAJOR: Breaking changes to capabilities'
const breaking = (what: string, got = '1.1.0') => [
  `${what}: a breaking change needs version 2.0.0 or higher, got ${got}`,
]
works(MAJOR, 'one removed', async () => {
  expect(await followed(pair('major1'), '2.0.0', one)).toEqual(['major1.add@2.0.0'])
  expect(await listed('major1')).toEqual([{ ...pair('major1'), version: '2.0.0', ...one }])
  expect(await errorOf('major1', 'subtract')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(MAJOR, 'one removed, as MINOR', async () => {
  expect(await followed(pair('major2'), '1.1.0', one)).toEqual(breaking("'subtract' is removed"))
})
works(MAJOR, 'one removed, as PATCH', async () => {
  expect(await followed(pair('major3'), '1.0.1', one)).toEqual(breaking("'subtract' is removed", '1.0.1'))
})
works(MAJOR, 'one renamed', async () => {
  const capabilities = [capability('add'), capability('minus')]
  expect(await followed(pair('major4'), '1.1.0', { capabilities })).toEqual(breaking("'subtract' is removed"))
})
works(MAJOR, 'a required parameter more', async () => {
  const { capabilities } = taking('', parameter('a', 'any'))
  expect(await followed(tool('major5'), '1.1.0', { capabilities })).toEqual([expect.stringContaining('2.0.0')])
  expect(await publish({ ...tool('major5'), version: '2.0.0', capabilities })).toMatchObject({ status: 201 })
})
works(MAJOR, 'a parameter that becomes required', async () => {
  const first = taking('major6', parameter('a', 'any', { required: false }))
  const { capabilities } = taking('', parameter('a', 'any'))
  expect(await followed(first, '1.1.0', { capabilities })).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'a parameter removed', async () => {
  const { capabilities } = taking('')
  const refusals = await followed(taking('major7', parameter('a', 'any')), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'another type of a parameter', async () => {
  const { capabilities } = taking('', parameter('a', 'number'))
  const refusals = await followed(taking('major8', parameter('a', 'string')), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'another type of a parameter of one of two, said where it is, and what is of both said once', async () => {
  const first = { ...pair('major13'), securityLevel: 1 }
  await published(first)
  const capabilities = [capability('add'), capability('subtract', { parameters: [parameter('a', 'string')] })]
  const { body } = await publish({ definition: { ...first, version: '1.1.0', securityLevel: 4, capabilities } })
  expect(body.errors).toEqual([
    { path: '/securityLevel', message: expect.stringMatching(/^The security level is raised from 1 to 4: /) },
    {
      path: '/definition/capabilities/1/parameters',
      message: expect.stringMatching(/^'subtract': Parameter 'a' is now required: /),
    },
  ])
})
works(MAJOR, 'another type of return value', async () => {
  const { capabilities } = returning('', { schema: { type: 'number' } })
  const refusals = await followed(returning('major9', { schema: { type: 'string' } }), '1.1.0', { capabilities })
  expect(refusals).toEqual([expect.stringContaining('2.0.0')])
})
works(MAJOR, 'a security level raised', async () => {
  expect(await followed(tool('major10', { securityLevel: 1 }), '1.1.0', { securityLevel: 4 })).toEqual(
    breaking('The security level is raised from 1 to 4'),
  )
})
const VERSIONING_ROW = '"MAJOR: Breaking changes"'
deviates(MAJOR, 'by who insists', VERSIONING_ROW, async () => {
  expect(await followed(pair('major11'), '1.0.1', one, '?allow=breaking')).toEqual(['major11.add@1.0.1'])
})
deviates(MAJOR, 'in a pre-release of the next', VERSIONING_ROW, async () => {
  expect(await followed(pair('major12'), '2.0.0-rc.1', one)).toEqual(['major12.add@2.0.0-rc.1'])
})
const MINOR = 'MINOR: New capabilities added'
const addition = (what: string) => [`${what}: an addition needs version 1.1.0 or higher, got 1.0.1`]
works(MINOR, 'one added', async () => {
  const ids = ['minor1.add@1.1.0', 'minor1.subtract@1.1.0', 'minor1.multiply@1.1.0']
  expect(await followed(pair('minor1'), '1.1.0', three)).toEqual(ids)
})
works(MINOR, 'one added, as PATCH', async () => {
  expect(await followed(pair('minor2'), '1.0.1', three)).toEqual(addition("'multiply' is added"))
})
works(MINOR, 'an optional parameter more', async () => {
  const { capabilities } = taking('', parameter('a', 'any', { required: false }))
  expect(await followed(taking('minor3'), '1.1.0', { capabilities })).toEqual(['minor3.go@1.1.0'])
})
works(MINOR, 'an optional parameter more, as PATCH', async () => {
  const { capabilities } = taking('', parameter('a', 'any', { required: false }))
  expect(await followed(taking('minor4'), '1.0.1', { capabilities })).toEqual([expect.stringContaining('1.1.0')])
})
const PATCH = 'PATCH: Bug fixes, documentation updates'
works(PATCH, 'a bug fix', async () => {
  const definition = tool('patch1')
  await published({ definition, implementation: giving('wrong') })
  await published({ definition: { ...definition, version: '1.0.1' }, implementation: giving('right') })
  expect(await resultOf('patch1', 'go')).toBe('right')
})
works(PATCH, 'descriptions', async () => {
  const first = taking('patch2', parameter('a', 'any'))
  const capabilities = [
    capability('go', { description: 'New', parameters: [parameter('a', 'any', { description: 'New' })] }),
  ]
  expect(await followed(first, '1.0.1', { description: 'New', capabilities })).toEqual(['patch2.go@1.0.1'])
})
works(PATCH, 'name and metadata', async () => {
  expect(await followed(tool('patch3'), '1.0.1', { name: 'New', metadata: { a: 1 } })).toEqual(['patch3.go@1.0.1'])
})
works(PATCH, 'nothing at all', async () => {
  expect(await followed(tool('patch4'), '1.0.1', {})).toEqual(['patch4.go@1.0.1'])
})

aside('### Best Practices')
works('Keep capability names clear and descriptive', 'since models read them', async () => {
  await published(of('Weather', capability('get_forecast')))
  expect((await get('/tools/Weather.get_forecast?format=mcp')).name).toBe('Weather_get_forecast')
})
works('Document all parameters thoroughly', 'since models read that', async () => {
  const description = 'The city, in English, with its country where there are several'
  await published(taking('thorough', parameter('city', 'string', { description })))
  const { inputSchema } = await get('/tools/thorough.go?format=mcp')
  expect(inputSchema.properties.city).toEqual({ type: 'string', description })
})
works('Use specific parameter types when possible', 'they are what is checked', async () => {
  const parameters = [parameter('n', 'number'), parameter('a', 'any')]
  await published({ definition: taking('specific', ...parameters), implementation: ECHO })
  const { details } = await errorOf('specific', 'go', { n: 'many', a: 'many' })
  expect(details).toEqual({ n: expect.stringContaining('number') })
})
const EXAMPLES = 'For example: `{"city": "Paris"}`\n\n| in | out |\n| -- | --- |\n'
works('Include examples in descriptions', '', async () => {
  await published(of('examples', capability('go', { description: EXAMPLES })))
  expect((await get('/tools/examples.go?format=mcp')).description).toBe(EXAMPLES)
})
works('Keep security level appropriate to functionality', 'it can be lowered in a PATCH', async () => {
  expect(await followed(tool('lower', { securityLevel: 5 }), '1.0.1', { securityLevel: 2 })).toEqual(['lower.go@1.0.1'])
})
works('Keep security level appropriate to functionality', 'what needs secrets says 4 unless it is told', async () => {
  const { tools } = await get('/machine-context/tools?toolkit=SMS')
  expect(tools).toMatchObject([{ id: 'SMS', securityLevel: 4 }])
})

aside('## Example Tool Definition')
const EXAMPLE = '```json { "id": "calculator",'
const [ADD, SUBTRACT] = CALCULATOR.capabilities
/** Publishes the example with its own id and an implementation. */
async function calculator(id: string, more = {}) {
  const module = `export default ({ a, b }, { tool }) => ({ result: tool === 'add' ? a + b : a - b })`
  const definition = { ...CALCULATOR, id, ...more }
  return published({ definition, implementation: { kind: 'code', module } })
}
works(EXAMPLE, 'word for word, to a fresh server', async () => {
  const answer = await publish(CALCULATOR)
  expect([answer.status, answer.body.ids]).toEqual([200, ['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0']])
})
works(EXAMPLE, 'is listed word for word', async () => expect(await listed('calculator')).toEqual([CALCULATOR]))
works(EXAMPLE, 'is read back word for word', async () => {
  const { text } = await raw(server.url, { path: '/tools/Arithmetic.add?format=machine-context', headers: asAdmin })
  expect(text).toBe(JSON.stringify(CALCULATOR))
})
works(EXAMPLE, 'as OXP', async () => {
  const call = { tool_id: 'Arithmetic.add', input: { a: 2, b: 3 } }
  const { body } = await server.json('POST', '/tools/call', call, asAdmin)
  expect(body.result).toMatchObject({ success: true, value: { result: 5 } })
})
works(EXAMPLE, 'as Open Tool Calling', async () => {
  const tool = { name: 'add', toolkit: 'Arithmetic', version: '1.0.0' }
  const asked = { execution_id: 'e', created_at: '2025-03-21T10:00:00Z', tool, inputs: { a: 2, b: 3 }, context: {} }
  const { body } = await server.json('POST', '/worker/tools/invoke', asked, asAdmin)
  expect([body.success, body.output]).toEqual([true, { value: { result: 5 } }])
})
works(EXAMPLE, 'as a plugin', async () => {
  const call = { params: { name: 'add', arguments: { a: 2, b: 3 } } }
  const { body } = await server.json('POST', '/plugin/call?toolkit=Arithmetic', call, asAdmin)
  expect(body).toEqual({ content: [{ type: 'text', text: '{"result":5}' }] })
})
works(EXAMPLE, 'over the Model Context Protocol', async () => {
  const params = { name: 'Arithmetic_add', arguments: { a: 2, b: 3 } }
  const headers = { ...asAdmin, 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const { body } = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
  expect(body.result.structuredContent).toEqual({ result: 5 })
})
works('"id": "calculator",', 'is executed', async () => {
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 })).toEqual({ result: 5 })
})
works('"id": "calculator",', 'or any other id', async () => {
  expect(await calculator('calculator2')).toEqual({ ids: ['calculator2.add@1.0.0', 'calculator2.subtract@1.0.0'] })
  expect(await resultOf('calculator2', 'add', { a: 2, b: 3 })).toEqual({ result: 5 })
})
works('"name": "Calculator Tool",', '', async () => {
  expect(await listed('calculator')).toMatchObject([{ name: 'Calculator Tool' }])
})
works('"version": "1.0.0", "description": "Performs basic arithmetic operations",', 'asked for', async () => {
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 }, { version: '1.0.0' })).toEqual({ result: 5 })
  expect(await resultOf('calculator', 'add', { a: 2, b: 3 }, { version: '^1.0.0' })).toEqual({ result: 5 })
  expect(await errorOf('calculator', 'add', {}, { version: '2.0.0' })).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works('"capabilities": [ { "name": "add", "description": "Adds two numbers",', 'fractions too', async () => {
  expect(await resultOf('calculator', 'add', { a: 2.5, b: -0.25 })).toEqual({ result: 2.25 })
})
works('"parameters": [ { "name": "a", "description": "First number", "type": "number",', 'no text', async () => {
  const { details } = await errorOf('calculator', 'add', { a: '2', b: 3 })
  expect(details).toEqual({ a: expect.stringContaining('number') })
})
works('"required": true }, { "name": "b", … "required": true } ],', 'neither left out', async () => {
  expect((await errorOf('calculator', 'add', { a: 2 })).details).toEqual({ b: 'Is required' })
  expect((await errorOf('calculator', 'add', {})).details).toEqual({ a: 'Is required', b: 'Is required' })
})
works('"return": { "description": "The sum of the two numbers",', 'is told in other dialects', async () => {
  const { output_schema } = await get('/tools/Arithmetic.add')
  expect(output_schema).toEqual({ ...ADD?.return.schema, description: 'The sum of the two numbers' })
})
works('"schema": { "type": "object", "properties": { "result": { "type": "number" } } }', 'is held to', async () => {
  const definition = { ...CALCULATOR, id: 'calculator3' }
  const implementations = { add: giving({ result: '5' }), subtract: giving(5) }
  await published({ definition, implementations })
  expect(await errorOf('calculator3', 'add', { a: 2, b: 3 })).toMatchObject({
    code: 'EXECUTION_ERROR',
    details: { problems: [{ path: '/result' }] },
  })
  expect(await errorOf('calculator3', 'subtract', { a: 2, b: 3 })).toMatchObject({ code: 'EXECUTION_ERROR' })
})
works('"name": "subtract", "description": "Subtracts the second number from the first",', '', async () => {
  expect(await resultOf('calculator', 'subtract', { a: 2, b: 3 })).toEqual({ result: -1 })
})
works('"parameters": [ … "required": true } ],', 'by name, in whatever order', async () => {
  expect(await resultOf('calculator', 'subtract', { b: 2, a: 3 })).toEqual({ result: 1 })
  expect((await errorOf('calculator', 'subtract', { b: 2 })).details).toEqual({ a: 'Is required' })
})
works('"return": { "description": "The result of a - b", … "type": "number" } }', '', async () => {
  const { output_schema } = await get('/tools/Arithmetic.subtract')
  expect(output_schema).toEqual({ ...SUBTRACT?.return.schema, description: 'The result of a - b' })
})
works('"securityLevel": 1,', 'is honored', async () => {
  const message = request({ id: 'calculator', capability: 'add', parameters: { a: 2, b: 3 } })
  expect(await send(message, asNobody)).toMatchObject({ status: 401, body: { error: { code: 'SECURITY_ERROR' } } })
  expect(await send(message, await keyFor('*'))).toMatchObject({ status: 200 })
})
works('"metadata": { "category": "utility",', '', async () => {
  expect(await listed('calculator')).toMatchObject([{ metadata: { category: 'utility' } }])
})
works('"tags": ["math", "calculation"]', 'find it', async () => {
  const { items } = await get('/tools?tag=calculation&toolkit=Arithmetic')
  expect(items.map(({ id }: Draft) => id)).toEqual(['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0'])
  expect((await get('/tools?tag=utility&toolkit=Arithmetic')).items).toEqual([])
})

aside('## Related Specifications', '<version>1.0.0</version>')
const PROTOCOL = '[Protocol Specification](./README.md)'
works(PROTOCOL, 'a response answers a request', async () => {
  const message = request({ id: 'types', capability: 'any', parameters: { value: 1 } })
  const { body } = await send(message)
  expect(body.header).toEqual({
    version: '1.0',
    messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    messageType: 'response',
    requestId: message.header.messageId,
    source: 'mcp-server',
    destination: 'client-id',
  })
})
works(PROTOCOL, 'with the tools of another server, too', async () => {
  const here = await startApp({ vars: { ALLOW_HTTP_HOSTS: new URL(server.url).host } })
  try {
    const from = { 'machine-context': `${server.url}/machine-context` }
    const imported = await here.json('POST', '/toolkits/import', { from, toolkit: 'There', tools: ['types_any'] })
    expect(imported).toMatchObject({ status: 201, body: { ids: [expect.stringMatching(/^There\.types_any@/)] } })
    const message = request({ id: 'There', capability: 'types_any', parameters: { value: [1, 'a'] } })
    const { body } = await here.json('POST', '/machine-context/execute', message)
    expect(body.payload.execution).toMatchObject({ status: 'success', result: { value: [1, 'a'] } })
  } finally {
    await here.stop()
  }
})
works(PROTOCOL, 'a header of what is required', async () => {
  const header = { messageId: 'm', messageType: 'request' }
  const payload = { tool: { id: 'types', capability: 'any', parameters: { value: 1 } } }
  const { status, body } = await send({ header, payload })
  expect([status, body.header]).toMatchObject([200, { requestId: 'm', source: 'switchboard' }])
})
works(PROTOCOL, 'an error answers what is no request', async () => {
  for (const header of [{}, { ...HEADER, messageType: 'response' }, { ...HEADER, messageId: '' }]) {
    const { status, body } = await send({ header, payload: { tool: { id: 'types', capability: 'any' } } })
    expect([status, body]).toMatchObject([
      400,
      { header: { messageType: 'error' }, error: { code: 'VALIDATION_ERROR' } },
    ])
    expect(body.payload).toBeUndefined()
  }
})
works(PROTOCOL, 'another version', async () => {
  const { status, body } = await send({ ...request({}), header: { ...HEADER, version: '2.0' } })
  expect([status, body.error]).toEqual([
    400,
    { code: 'VALIDATION_ERROR', message: "The protocol version '2.0' is not supported: wanted '1.0'" },
  ])
})
const EXECUTION = '[Tool Execution Specification](./tool-execution.md)'
works(EXECUTION, 'VALIDATION_ERROR', async () => {
  expect(await errorOf('types', 'any', {})).toMatchObject({ code: 'VALIDATION_ERROR' })
})
works(EXECUTION, 'NOT_FOUND_ERROR: a tool', async () => {
  expect(await errorOf('no such tool', 'go')).toMatchObject({ code: 'NOT_FOUND_ERROR' })
})
works(EXECUTION, 'NOT_FOUND_ERROR: a capability, and what is near it', async () => {
  expect(await errorOf('types', 'numbr')).toEqual({
    code: 'NOT_FOUND_ERROR',
    message: expect.stringContaining('was not found'),
    details: { suggestions: expect.arrayContaining(['types.number']) },
  })
})
works(EXECUTION, 'EXECUTION_ERROR, in the tool’s own words', async () => {
  const module = `export default () => { throw Object.assign(new Error('Out of ink'), { can_retry: true, retry_after_ms: 9 }) }`
  await published({ definition: tool('ink'), implementation: { kind: 'code', module } })
  expect(await errorOf('ink', 'go')).toMatchObject({
    code: 'EXECUTION_ERROR',
    message: 'Out of ink',
    details: { can_retry: true, retry_after_ms: 9 },
  })
})
works(EXECUTION, 'TIMEOUT_ERROR', async () => {
  const module = 'export default () => new Promise((done) => setTimeout(done, 60_000))'
  await published({ definition: tool('slow'), implementation: { kind: 'code', module, timeout_ms: 100 } })
  expect(await execute('slow', 'go')).toEqual({
    status: 'timeout',
    error: { code: 'TIMEOUT_ERROR', message: 'The tool did not answer within 0.1 seconds' },
    execution_time_ms: expect.any(Number),
  })
})
works(EXECUTION, 'SECURITY_ERROR: consent, with its link', async () => {
  const asked = request({ id: 'Gmail', capability: 'GetEmails' }, { context: { user_id: 'u1' } })
  const { error } = (await send(asked)).body.payload.execution
  expect([error.code, error.details.authorization[0].id]).toEqual(['SECURITY_ERROR', 'google'])
  expect(error.details.authorization[0].url).toContain(server.url)
})
works(EXECUTION, 'RESOURCE_ERROR', async () => {
  const body = JSON.stringify(request({ id: 'types', capability: 'any', parameters: { value: 'x'.repeat(5_000_000) } }))
  const headers = { ...asAdmin, 'content-type': 'application/json' }
  const { status, text } = await raw(server.url, { method: 'POST', path: '/machine-context/execute', headers, body })
  expect([status, JSON.parse(text).error.code]).toEqual([413, 'RESOURCE_ERROR'])
})
works(EXECUTION, 'parameters as an object, or none', async () => {
  expect(await send(request({ id: 'types', capability: 'any', parameters: [1] }))).toMatchObject({ status: 400 })
  expect(await errorOf('types', 'any', null)).toMatchObject({ details: { value: 'Is required' } })
})
deviates(EXECUTION, 'resource_usage', '`resource_usage` of an execution', async () => {
  const execution = await execute('types', 'any', { value: 1 })
  expect(Object.keys(execution)).toEqual(['status', 'result', 'execution_time_ms'])
})
deviates(EXECUTION, 'a result that is too large is an artifact', '`result` of an execution', async () => {
  const long = 'x'.repeat(3_000)
  const artifact = { url: expect.stringContaining(server.url), size: expect.any(Number) }
  for (const [id, schema, result] of [
    ['large', {}, { artifact }],
    ['large-text', { type: 'string' }, undefined],
  ] as const) {
    await published({ definition: returning(id, { schema }), implementation: giving(long) })
    const { body } = await send(request({ id, capability: 'go' }, { context: { inline_bytes: 1_024 } }))
    const { execution } = body.payload
    expect([execution.status, execution.result, body.metadata]).toMatchObject(['success', result, { artifact }])
    expect(await (await fetch(body.metadata.artifact.url)).text()).toContain(long)
  }
})
const MANAGER = '[Tool Manager Specification](../tool-manager.md)'
const setStatus = (id: string, status: unknown) => server.json('PATCH', `/tools/${id}`, { status }, asAdmin)
works(MANAGER, 'a tool is disabled, and enabled again', async () => {
  await published({ definition: tool('disabled'), implementation: SAY })
  await setStatus('disabled.go@1.0.0', 'disabled')
  expect(await errorOf('disabled', 'go', {}, { version: '1.0.0' })).toEqual({
    code: 'VALIDATION_ERROR',
    message:
      'Tool \'disabled.go@1.0.0\' is disabled: an administrator can enable it with PATCH /tools/disabled.go@1.0.0 {"status": "active"}, or its toolkit with PATCH /toolkits/disabled {"status": "active"}',
  })
  expect(await listed('disabled')).toEqual([])
  await setStatus('disabled.go@1.0.0', 'active')
  expect(await resultOf('disabled', 'go')).toBe('go')
})
works(MANAGER, 'a version is withdrawn', async () => {
  const at = await versioned('withdrawn', '1.0.0', '1.1.0')
  await setStatus('withdrawn.go@1.1.0', 'yanked')
  expect([await at(), await at('1.1.0')]).toEqual(['1.0.0', '1.1.0'])
  expect(await listed('withdrawn')).toEqual([tool('withdrawn')])
})

whole()
