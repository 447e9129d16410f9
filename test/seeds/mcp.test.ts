import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { raw } from '../e2e/raw.ts'
import { refusedPlaces, WITH_REFUSED_PATTERNS } from './refused-patterns.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** `Tool` of the MCP SDK for Kotlin, over `/mcp` and in the other places that show tools. */
const { works, deviates, aside, whole } = openDocument('mcp-kotlin-tool.txt', 'mcp')

let server: RunningServer
beforeAll(async () => {
  server = withoutNeighbours(await startApp())
})
afterAll(() => server?.stop())

type Fields = Readonly<Record<string, unknown>>
type Tool = Fields & { readonly name: string; readonly _meta?: object | null }

const OLD = ['2024-11-05', '2025-03-26', '2025-06-18'] as const
/** The revisions whose tool names may contain dots. */
const NEW = ['2025-11-25', '2026-07-28'] as const
const ALL = [...OLD, ...NEW]
const SERVER = { name: 'switchboard', title: 'Switchboard', version: expect.any(String) }

async function ask(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await server.json(method, path, body, headers)
  return { status: answer.status, body: answer.body }
}

/** Sends a request as clients of a revision do, and returns the result or the error. */
async function mcp(version: string, method: string, given: Fields = {}, query = '') {
  const isFrom2026 = version === '2026-07-28'
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...(isFrom2026 ? { 'mcp-method': method, ...(given.name ? { 'mcp-name': String(given.name) } : {}) } : {}),
  }
  const params = isFrom2026 ? { ...given, _meta } : given
  const { status, body } = await ask('POST', `/mcp${query}`, { jsonrpc: '2.0', id: 7, method, params }, headers)
  expect({ status, body }).toMatchObject({ status: 200, body: { jsonrpc: '2.0', id: 7 } })
  if (!isFrom2026 || body.error) return body.result ?? { error: body.error }
  // Members that every result of that revision has
  const { resultType, ttlMs: _ttl, cacheScope: _scope, _meta: about, ...result } = body.result
  const { 'io.modelcontextprotocol/serverInfo': info, ...own } = about
  expect({ resultType, info }).toEqual({ resultType: 'complete', info: SERVER })
  return Object.keys(own).length === 0 ? result : { ...result, _meta: own }
}

/** Lists a toolkit's tools as clients of a revision see them. */
const toolsOf = async (toolkit: string, version = '2025-11-25') =>
  (await mcp(version, 'tools/list', {}, `?toolkits=${toolkit}`)).tools

const callTool = (name: string, input?: unknown, version = '2025-11-25') =>
  mcp(version, 'tools/call', input === undefined ? { name } : { name, arguments: input })

const code = (module: string) => ({ kind: 'code', module })
const giving = (value: unknown) => code(`export default () => (${JSON.stringify(value)})`)
const ECHO = code('export default (input) => input')
const OBJECT = { type: 'object' }

const submission = (definition: unknown, toolkit: string, implementation: object = giving({ sum: 5 })) => ({
  definition,
  toolkit,
  version: '1.0.0',
  implementation,
})

/** Publishes a tool, and fails on any problem or warning. */
async function publish(tool: Tool, toolkit: string, implementation?: object): Promise<void> {
  const answer = await ask('POST', '/tools?dialect=mcp', submission(tool, toolkit, implementation))
  // An id cannot contain a dash, but the name that models see keeps it
  const id = `${toolkit}.${tool.name.replaceAll('-', '_')}@1.0.0`
  expect(answer).toMatchObject({ status: 201, body: { ids: [id] } })
  expect(answer.body.warnings?.length ?? 0).toBe(tool.name.includes('-') ? 1 : 0)
}

/** Returns why a tool is refused: messages by path. */
async function refused(tool: unknown): Promise<Record<string, string>> {
  const { status, body } = await ask('POST', '/tools?dialect=mcp', submission(tool, 'Refused'))
  expect({ status, message: body.message }).toEqual({ status: 422, message: 'The definition is not valid' })
  return Object.fromEntries(
    body.errors.map(({ path, message }: Record<string, string>) => [path?.replace('/definition', ''), message]),
  )
}

/** Returns the document that a tool was published with. */
const documentOf = async (toolkit: string, tool: string) =>
  (await ask('GET', `/tools/${toolkit}.${tool}?format=mcp`)).body

/** Returns the hints of a code tool without network access; the publisher's annotations override them. */
function hintsOf(annotations: unknown) {
  const said = { readOnlyHint: false, openWorldHint: false, ...Object(annotations) }
  return { idempotentHint: said.readOnlyHint, destructiveHint: !said.readOnlyHint, ...said }
}

/** Returns a tool as listed, with its id and all four hints. */
const listed = (tool: Tool, toolkit: string, name = tool.name) => ({
  ...tool,
  annotations: hintsOf(tool.annotations),
  _meta: { ...tool._meta, 'dev.switchboard/id': `${toolkit}.${name}@1.0.0` },
})

/** Builds a result with one text. */
const text = (said: string, more: object = {}) => ({ content: [{ type: 'text', text: said }], ...more })

const PLAIN = { description: 'Does something.', inputSchema: OBJECT }
const FULL = {
  title: 'The Title',
  description: 'Adds numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  annotations: {
    title: 'Its Annotation',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  icons: [{ src: 'https://x.example/a.png', mimeType: 'image/png', sizes: ['48x48', '96x96'], theme: 'light' }],
  _meta: { 'example.com/team': { name: 'sums', since: 2024 } },
}

aside('Tool data class', 'Constructors', 'Properties')
/** The text after each button of the page. */
const AFTER_BUTTONS = [
  'constructor',
  'open val',
  'Optional additional',
  'A human-readable',
  'val icons',
  'A JSON Schema',
  '@SerialName',
  'The programmatic',
  'An optional',
  'Optional human-readable',
]
aside(...AFTER_BUTTONS.map((words) => `Link copied to clipboard ${words}`))

const TOOL =
  'data class Tool(val name: String, val inputSchema: ToolSchema, val description: String? = null, … val meta: JsonObject? = null) : WithMeta(source)'

works(TOOL, 'all fields are kept to the letter', async () => {
  const tool = { name: 'class_all', ...FULL }
  await publish(tool, 'ClassAll')
  expect(JSON.stringify(await documentOf('ClassAll', 'class_all'))).toBe(JSON.stringify(tool))
})

works(TOOL, 'all fields are listed, to clients of every revision', async () => {
  const tool = { name: 'class_listed', ...FULL }
  await publish(tool, 'ClassListed')
  for (const version of ALL) expect(await toolsOf('ClassListed', version)).toEqual([listed(tool, 'ClassListed')])
})

works(TOOL, 'a name and an input schema are enough', async () => {
  const tool = { name: 'class_least', inputSchema: OBJECT }
  const path = '/definition/description'
  expect(await ask('POST', '/tools', submission(tool, 'ClassLeast'))).toEqual({
    status: 201,
    body: {
      ids: ['ClassLeast.class_least@1.0.0'],
      warnings: [{ path, message: 'Without a description models cannot tell what it is for' }],
    },
  })
  expect(await documentOf('ClassLeast', 'class_least')).toEqual(tool)
  for (const version of ALL) expect(await toolsOf('ClassLeast', version)).toEqual([listed(tool, 'ClassLeast')])
})

works(TOOL, 'without a name or an input schema', async () => {
  expect(await refused({})).toEqual({ '/name': 'Is required', '/inputSchema': 'Is required' })
  expect(await refused({ ...FULL })).toEqual({ '/name': 'Is required' })
})

works(TOOL, 'null, the default of each optional field, is its absence', async () => {
  const nulls = { title: null, outputSchema: null, annotations: null, icons: null, _meta: null }
  const tool = { name: 'class_nulls', ...PLAIN, ...nulls }
  await publish(tool, 'ClassNulls')
  expect(await toolsOf('ClassNulls')).toEqual([listed({ name: 'class_nulls', ...PLAIN }, 'ClassNulls')])
  expect(await documentOf('ClassNulls', 'class_nulls')).toEqual(tool)
})

works(TOOL, 'null where a field is required', async () => {
  expect(await refused({ name: null, inputSchema: null })).toEqual({
    '/name': 'Must be 1 to 160 characters that can be seen, got null',
    '/inputSchema': 'Must be a JSON Schema object, got null',
  })
})

works(TOOL, 'a field that it has not is ignored, and that is said', async () => {
  const answer = await ask('POST', '/tools', submission({ name: 'class_more', ...PLAIN, color: 'red' }, 'ClassMore'))
  expect(answer.status).toBe(201)
  expect(answer.body.warnings).toEqual([
    { path: '/definition/color', message: expect.stringContaining("Unknown field 'color', which is ignored: wanted") },
  ])
  expect(await toolsOf('ClassMore')).toEqual([listed({ name: 'class_more', ...PLAIN }, 'ClassMore')])
})

works(TOOL, 'as it is, where the query names its toolkit and its version', async () => {
  const tool = { name: 'class_query', ...PLAIN }
  for (const [status, id, body] of [
    [201, 'ClassQuery.class_query@1.2.3', tool],
    [200, 'ClassQuery.class_query@1.2.3', tool],
    [201, 'ClassQuery.class_listed@1.2.3', { tools: [{ name: 'class_listed', ...PLAIN }] }],
  ] as const) {
    const published = await ask('POST', '/tools?toolkit=ClassQuery&version=1.2.3', body)
    expect([published.status, published.body.ids]).toEqual([status, [id]])
  }
  expect(await documentOf('ClassQuery', 'class_query')).toEqual(tool)
  const own = { definition: { name: 'class_own', ...PLAIN }, toolkit: 'ClassOwn', version: '2.0.0' }
  const batch = await ask('POST', '/tools?toolkit=ClassQuery&version=1.2.3', [own, { name: 'class_beside', ...PLAIN }])
  expect(batch.body.results.map(({ id }: { id: string }) => id)).toEqual([
    'ClassOwn.class_own@2.0.0',
    'ClassQuery.class_beside@1.2.3',
  ])
  expect((await ask('POST', '/tools?toolkit=Class%20Query&version=1', tool)).status).toBe(400)
})

deviates(TOOL, 'it names no toolkit and no version', 'A `Tool` names no toolkit and no version', async () => {
  const message =
    'Is required, and the dialect does not say it: publish with ?toolkit= and ?version=, or {"definition", "toolkit", "version"}'
  const { status, body } = await ask('POST', '/tools', { name: 'class_bare', ...PLAIN })
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: [
      { path: '/toolkit', message },
      { path: '/version', message },
    ],
  })
})

const DEFINITION = 'Definition for a tool the client can call.'

works(DEFINITION, 'clients of every revision call it by its name', async () => {
  await publish({ name: 'definition_called', ...FULL }, 'DefinitionCalled')
  for (const version of ALL) {
    expect(await callTool('definition_called', { a: 1 }, version)).toEqual(
      text('{"sum":5}', { structuredContent: { sum: 5 } }),
    )
  }
})

works(DEFINITION, 'what nothing runs is not listed, and not called', async () => {
  const definition = { name: 'definition_only', ...PLAIN }
  const answer = await ask('POST', '/tools', { definition, toolkit: 'DefinitionOnly', version: '1.0.0' })
  expect(answer.status).toBe(201)
  for (const version of ALL) {
    expect(await toolsOf('DefinitionOnly', version)).toEqual([])
    const message =
      "The tool 'DefinitionOnly.definition_only@1.0.0' cannot be called here: It was published without an implementation"
    expect(await callTool('definition_only', {}, version)).toEqual({ error: { code: -32602, message } })
  }
})

works(DEFINITION, 'what is not defined is unknown', async () => {
  for (const version of ALL) {
    expect(await callTool('definition_of_nothing', {}, version)).toEqual({
      error: { code: -32602, message: "Unknown tool: 'definition_of_nothing': there is none, or you may not use it" },
    })
  }
})

const EXPOSE = 'Tools allow servers to expose functionality that can be invoked by clients and LLMs.'

works(EXPOSE, 'a server says that it has tools', async () => {
  for (const protocolVersion of ALL.slice(0, -1)) {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a test', version: '1' } }
    const { body } = await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const instructions = expect.any(String)
    const capabilities = expect.objectContaining({ tools: {} })
    expect(body.result).toEqual({ protocolVersion, capabilities, serverInfo: SERVER, instructions })
  }
  expect((await mcp('2026-07-28', 'server/discover')).capabilities).toMatchObject({ tools: { listChanged: true } })
})

works(EXPOSE, 'tools that come one by one, and several of one listing', async () => {
  const tools = ['expose_one', 'expose_two'].map((name) => ({ name, ...PLAIN }))
  const implementation = code('export default (_, { tool }) => tool')
  const answer = await ask('POST', '/tools', submission({ tools }, 'Expose', implementation))
  expect(answer).toEqual({
    status: 201,
    body: { ids: ['Expose.expose_one@1.0.0', 'Expose.expose_two@1.0.0'], dialect: 'plugin' },
  })
  expect(await toolsOf('Expose')).toEqual(tools.map((tool) => listed(tool, 'Expose')))
  expect(await callTool('expose_two')).toEqual(text('expose_two'))
})

works(EXPOSE, 'models of other makers are given them too', async () => {
  await publish({ name: 'models_exposed', ...FULL }, 'ExposeModels')
  const { description, inputSchema } = FULL
  const formatted = (format: string) => ask('GET', `/tools/ExposeModels.models_exposed?format=${format}`)
  expect((await formatted('anthropic')).body).toEqual({
    name: 'models_exposed',
    description,
    input_schema: inputSchema,
  })
  expect((await formatted('openai')).body.function).toEqual({
    name: 'models_exposed',
    description,
    parameters: inputSchema,
  })
})

works(EXPOSE, 'a tool that fails says so in its result', async () => {
  await publish(
    { name: 'failure_exposed', ...PLAIN },
    'ExposeFailure',
    code('export default () => { throw new Error("No") }'),
  )
  for (const version of ALL) {
    expect(await callTool('failure_exposed', {}, version)).toEqual(text('No', { isError: true }))
  }
})

const EACH = 'Each tool has a name, description, and schema defining its input (and optionally output) parameters.'

works(EACH, 'whatever dialect it came from', async () => {
  for (const version of ALL) {
    const { tools } = await mcp(version, 'tools/list')
    expect(tools.length).toBeGreaterThan(20)
    for (const tool of tools) {
      expect(tool).toMatchObject({ name: expect.stringMatching(/^[\w.-]{1,128}$/), inputSchema: { type: 'object' } })
    }
  }
})

works(EACH, 'a tool of OXP', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'string', description: 'A.' } } }
  const tool = {
    id: 'EachOxp.T@1.0.0',
    name: 'each_oxp',
    description: 'Of OXP.',
    version: '1.0.0',
    input_schema: { parameters },
    output_schema: { type: 'object' },
  }
  expect((await ask('POST', '/tools', { definition: tool, implementation: ECHO })).status).toBe(201)
  const { name, description, output_schema: outputSchema } = tool
  const shown = { name, description, inputSchema: parameters, outputSchema }
  for (const version of ALL) expect(await toolsOf('EachOxp', version)).toEqual([listed(shown, 'EachOxp', 'T')])
})

const DISPLAY = 'Display name precedence order: titleannotations.titlename'

const pageOf = async (path: string) => (await raw(server.url, { path, headers: { accept: 'text/html' } })).text

/** Returns the heading of a tool's page. */
async function headingOf(toolkit: string, tool: string) {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/.exec(await pageOf(`/console/tools/${toolkit}.${tool}`)) ?? []
  return heading.replaceAll(/<[^>]*>/g, '')
}

works(DISPLAY, 'title before annotations.title', async () => {
  await publish({ name: 'display_both', ...FULL }, 'DisplayBoth')
  expect(await headingOf('DisplayBoth', 'display_both')).toBe('The Title')
})

works(DISPLAY, 'annotations.title where there is no title', async () => {
  for (const [toolkit, title] of Object.entries({ DisplayNull: null, DisplayEmpty: '', DisplayNone: undefined })) {
    await publish({ name: toolkit, ...PLAIN, title, annotations: { title: 'Its Annotation' } }, toolkit)
    expect(await headingOf(toolkit, toolkit)).toBe('Its Annotation')
  }
})

works(DISPLAY, 'the name where there is neither', async () => {
  await publish({ name: 'display_name', ...PLAIN, annotations: { readOnlyHint: true } }, 'DisplayName')
  expect(await headingOf('DisplayName', 'display_name')).toBe('DisplayName.display_name')
  expect((await toolsOf('DisplayName'))[0].name).toBe('display_name')
})

works(DISPLAY, 'a dialect that asks for words where there are none gets it', async () => {
  for (const [toolkit, fields, words] of [
    ['DisplayWordsA', { title: 'The Title', annotations: { title: 'Its Annotation' } }, 'The Title'],
    ['DisplayWordsB', { annotations: { title: 'Its Annotation' } }, 'Its Annotation'],
    ['DisplayWordsC', {}, 'DisplayWordsC'],
  ] as const) {
    const tool = { name: toolkit, inputSchema: OBJECT, ...fields }
    expect((await ask('POST', '/tools', submission(tool, toolkit))).status).toBe(201)
    const { body } = await ask('GET', `/tools/${toolkit}.${toolkit}?format=machine-context`)
    expect(body.capabilities).toMatchObject([{ name: toolkit, description: words }])
  }
})

works(
  'constructor(name: String, inputSchema: ToolSchema, … meta: JsonObject? = null)',
  'fields in any order',
  async () => {
    const { title, description, ...rest } = FULL
    const tool = { ...rest, description, title, name: 'constructor_order' }
    await publish(tool, 'Constructor')
    expect(JSON.stringify(await documentOf('Constructor', 'constructor_order'))).toBe(JSON.stringify(tool))
    expect(await toolsOf('Constructor')).toEqual([listed(tool, 'Constructor')])
  },
)

const META_PROPERTY = 'open val _meta: JsonObject'

works(META_PROPERTY, 'every tool that is listed has one, with its id', async () => {
  await publish({ name: 'meta_always', ...PLAIN }, 'MetaAlways')
  for (const version of ALL) {
    const [tool] = await toolsOf('MetaAlways', version)
    expect(tool._meta).toEqual({ 'dev.switchboard/id': 'MetaAlways.meta_always@1.0.0' })
  }
})

const HINTS = 'Optional additional tool information providing hints about tool behavior.'

works(HINTS, 'each alone, true and false', async () => {
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
  for (const hint of hints) {
    for (const is of [true, false]) {
      const tool = { name: `hint_${hint}_${is}`, ...PLAIN, annotations: { [hint]: is } }
      await publish(tool, `Hint_${hint}_${is}`)
      expect(await toolsOf(`Hint_${hint}_${is}`)).toEqual([listed(tool, `Hint_${hint}_${is}`)])
    }
  }
})

works(HINTS, 'none: clients are told the defaults of the protocol, and its document has none', async () => {
  await publish({ name: 'hint_absent', ...PLAIN }, 'HintAbsent')
  await publish({ name: 'hint_empty', ...PLAIN, annotations: {} }, 'HintEmpty')
  expect((await toolsOf('HintAbsent'))[0].annotations).toEqual(hintsOf({}))
  expect((await toolsOf('HintEmpty'))[0].annotations).toEqual(hintsOf({}))
  expect(await documentOf('HintAbsent', 'hint_absent')).not.toHaveProperty('annotations')
  expect((await documentOf('HintEmpty', 'hint_empty')).annotations).toEqual({})
})

works(HINTS, 'one that is null is absent', async () => {
  const annotations = {
    title: null,
    readOnlyHint: null,
    destructiveHint: true,
    idempotentHint: null,
    openWorldHint: null,
  }
  await publish({ name: 'hint_nulls', ...PLAIN, annotations }, 'HintNulls')
  expect((await toolsOf('HintNulls'))[0].annotations).toEqual(hintsOf({ destructiveHint: true }))
})

works(HINTS, 'more of them are kept', async () => {
  const annotations = { readOnlyHint: true, costHint: 3 }
  await publish({ name: 'hint_more', ...PLAIN, annotations }, 'HintMore')
  expect((await toolsOf('HintMore'))[0].annotations).toEqual(hintsOf(annotations))
})

works(HINTS, 'in other forms', async () => {
  expect(await refused({ name: 'hint_other', ...PLAIN, annotations: [] })).toEqual({
    '/annotations': 'Must be an object, got an empty array',
  })
  const annotations = { title: 1, readOnlyHint: 'yes', destructiveHint: 0, idempotentHint: {}, openWorldHint: [] }
  expect(await refused({ name: 'hint_other', ...PLAIN, annotations })).toEqual({
    '/annotations/title': 'Must be a string, got 1',
    '/annotations/readOnlyHint': "Must be a boolean, got 'yes'",
    '/annotations/destructiveHint': 'Must be a boolean, got 0',
    '/annotations/idempotentHint': 'Must be a boolean, got an object',
    '/annotations/openWorldHint': 'Must be a boolean, got an empty array',
  })
})

const UNFAITHFUL =
  'All properties in ToolAnnotations are hints and not guaranteed to provide a faithful description of tool behavior.'

works(UNFAITHFUL, 'each call of a tool runs it, whatever it claims to be', async () => {
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
  const implementation = code('export default () => ({ run: crypto.randomUUID() })')
  await publish({ name: 'hints_claimed', ...PLAIN, annotations }, 'HintsClaimed', implementation)
  const [first, second] = [await callTool('hints_claimed'), await callTool('hints_claimed')]
  expect(first.structuredContent.run).toMatch(/^[0-9a-f-]{36}$/)
  expect(second.structuredContent.run).not.toBe(first.structuredContent.run)
})

works(UNFAITHFUL, 'one that warns of itself is called as any other', async () => {
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true }
  await publish({ name: 'hints_warned', ...PLAIN, annotations }, 'HintsWarned')
  expect(await callTool('hints_warned')).toEqual(text('{"sum":5}', { structuredContent: { sum: 5 } }))
})

const DESCRIPTION = 'A human-readable description of the tool and when to use it.'

works(DESCRIPTION, 'is kept to the letter', async () => {
  const description = ' Says “hello”, <b>"twice"</b>:\n\n\t1. — Grüß Gott 👋\u2028\\ '
  await publish({ name: 'description_kept', ...PLAIN, description }, 'DescriptionKept')
  for (const version of ALL) expect((await toolsOf('DescriptionKept', version))[0].description).toBe(description)
})

works(DESCRIPTION, 'anything but a text', async () => {
  for (const [description, got] of [
    [1, '1'],
    [true, 'true'],
    [{}, 'an object'],
    [['a'], 'an array of 1'],
  ]) {
    expect(await refused({ name: 'description_other', inputSchema: OBJECT, description })).toEqual({
      '/description': `Must be a string, got ${got}`,
    })
  }
})

const UNDERSTANDING = "Clients can use this to improve the LLM's understanding of available tools."

works(UNDERSTANDING, 'it stands in the list, and tools are found by it', async () => {
  const tool = { name: 'understood', ...PLAIN, description: 'Polishes a theodolite.' }
  await publish(tool, 'Understanding')
  expect(await toolsOf('Understanding')).toEqual([listed(tool, 'Understanding')])
  const found = await mcp(
    '2025-11-25',
    'tools/call',
    { name: 'search_tools', arguments: { query: 'theodolite' } },
    '?mode=search',
  )
  expect(JSON.parse(found.content[0].text)).toEqual({
    tools: [{ name: tool.name, description: tool.description }],
    total: 1,
  })
})

const HINT = 'It can be thought of like a "hint" to the model.'

works(HINT, 'without one there is none in the list, and the publisher is told', async () => {
  for (const [toolkit, description] of Object.entries({ HintlessNull: null, HintlessNone: undefined })) {
    const tool = { name: toolkit, inputSchema: OBJECT, description }
    const { status, body } = await ask('POST', '/tools', submission(tool, toolkit))
    expect({ status, paths: body.warnings.map(({ path }: { path: string }) => path) }).toEqual({
      status: 201,
      paths: ['/definition/description'],
    })
    expect((await toolsOf(toolkit))[0]).not.toHaveProperty('description')
  }
})

const ICONS = 'val icons: List<Icon>?'

works(ICONS, 'none, one and several', async () => {
  for (const [toolkit, icons] of Object.entries({
    IconsNone: [],
    IconsOne: [{ src: 'https://x.example/a.png' }],
    IconsSeveral: [{ src: 'https://x.example/a.png', theme: 'dark' }, { src: 'data:image/png;base64,iVBORw0KGgo=' }],
  })) {
    const tool = { name: toolkit, ...PLAIN, icons }
    await publish(tool, toolkit)
    for (const version of ALL) expect(await toolsOf(toolkit, version)).toEqual([listed(tool, toolkit)])
  }
})

works(ICONS, 'in other forms', async () => {
  expect(await refused({ name: 'icons_other', ...PLAIN, icons: { src: 'https://x.example/a.png' } })).toEqual({
    '/icons': 'Must be an array, got an object',
  })
  const src = 'https://x.example/a.png'
  const icons = ['a.png', {}, { src: 1 }, { src, mimeType: 1 }, { src, sizes: '48x48' }, { src, theme: 'blue' }]
  expect(await refused({ name: 'icons_other', ...PLAIN, icons })).toEqual({
    '/icons/0': "Must be an object, got 'a.png'",
    '/icons/1/src': 'Is required',
    '/icons/2/src': "Must be an 'https:' or a 'data:' URL, got 1",
    '/icons/3/mimeType': 'Must be a string, got 1',
    '/icons/4/sizes': "Must be an array of strings, got '48x48'",
    '/icons/5/theme': "Must be one of 'light', 'dark', got 'blue'",
  })
})

deviates(ICONS, 'at an https or a data URL', '`icons`', async () => {
  for (const src of [
    'http://x.example/a.png',
    'javascript:alert(1)',
    'file:///a.png',
    '//x.example/a.png',
    'a.png',
    '',
  ]) {
    expect(await refused({ name: 'icons_plain', ...PLAIN, icons: [{ src }] })).toEqual({
      '/icons/0/src': `Must be an 'https:' or a 'data:' URL, got '${src}'`,
    })
  }
})

const SIZED = 'Optional set of sized icons that clients can display in their user interface.'

works(SIZED, 'their sizes and themes are kept', async () => {
  const icons = [
    { src: 'https://x.example/a.png', sizes: ['48x48', '96x96'], theme: 'light' },
    { src: 'https://x.example/a.svg', sizes: ['any'], theme: 'dark' },
  ]
  await publish({ name: 'icons_sized', ...PLAIN, icons }, 'IconsSized')
  expect((await toolsOf('IconsSized'))[0].icons).toEqual(icons)
})

works(SIZED, 'null in one is absence', async () => {
  const icons = [{ src: 'https://x.example/a.png', mimeType: null, sizes: null, theme: null }]
  await publish({ name: 'icons_nulls', ...PLAIN, icons }, 'IconsNulls')
  expect((await toolsOf('IconsNulls'))[0].icons).toEqual([{ src: 'https://x.example/a.png' }])
})

/** Returns the type of each image on a tool's page, which this server must serve; undefined for invalid images. */
async function picturesOf(toolkit: string, tool: string) {
  const page = await pageOf(`/console/tools/${toolkit}.${tool}`)
  const shown = [...page.matchAll(/<img [^>]*src="([^"]*)"/g)].map(([, path = '']) => raw(server.url, { path }))
  return (await Promise.all(shown)).map(({ status, headers }) => (status === 200 ? headers['content-type'] : undefined))
}
const data = (type: string, bytes: string) => `data:${type};base64,${Buffer.from(bytes, 'latin1').toString('base64')}`
async function shows(type: string, bytes: string) {
  const name = `icons_${type.replaceAll(/\W/g, '_')}`
  await publish({ name, ...PLAIN, icons: [{ src: data(type, bytes), mimeType: type }] }, name)
  expect(await picturesOf(name, name)).toEqual([type])
}

works(SIZED, 'pages show one, and none of what is no picture', async () => {
  const src = data('image/png', '<!doctype html><script>alert(1)</script>')
  await publish({ name: 'icons_none', ...PLAIN, icons: [{ src }] }, 'IconsPretended')
  expect(await picturesOf('IconsPretended', 'icons_none')).toEqual([undefined])
  await publish({ name: 'icons_without', ...PLAIN, icons: [] }, 'IconsWithout')
  expect(await picturesOf('IconsWithout', 'icons_without')).toEqual([])
})

const MUST = 'Clients MUST support at least PNG and JPEG formats.'
works(MUST, 'pages show PNG', () => shows('image/png', '\x89PNG\r\n\x1a\n'))
works(MUST, 'pages show JPEG', () => shows('image/jpeg', '\xff\xd8\xff\xe0'))
works(MUST, 'clients are given both', async () => {
  const icons = [
    { src: 'https://x.example/a.png', mimeType: 'image/png' },
    { src: 'https://x.example/a.jpg', mimeType: 'image/jpeg' },
  ]
  await publish({ name: 'icons_must', ...PLAIN, icons }, 'IconsMust')
  for (const version of ALL) expect((await toolsOf('IconsMust', version))[0].icons).toEqual(icons)
})

const SHOULD = 'Clients SHOULD also support SVG and WebP formats.'
works(SHOULD, 'pages show SVG', () => shows('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'))
works(SHOULD, 'pages show WebP', () => shows('image/webp', 'RIFF\x00\x00\x00\x00WEBP'))
works(SHOULD, 'clients are given both', async () => {
  const icons = [
    { src: 'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>', mimeType: 'image/svg+xml' },
    { src: 'https://x.example/a.webp', mimeType: 'image/webp' },
  ]
  await publish({ name: 'icons_should', ...PLAIN, icons }, 'IconsShould')
  for (const version of ALL) expect((await toolsOf('IconsShould', version))[0].icons).toEqual(icons)
})

const INPUT = 'A JSON Schema object defining the expected parameters for the tool.'

works(INPUT, 'is listed as it is, references within it too', async () => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { at: { $ref: '#/$defs/point' }, of: { type: 'string', enum: ['a', 'b'] } },
    required: ['at'],
    $defs: { point: { type: 'array', items: { type: 'number' }, minItems: 2 } },
    additionalProperties: false,
  }
  await publish({ name: 'input_kept', ...PLAIN, inputSchema }, 'InputKept')
  for (const version of ALL) expect((await toolsOf('InputKept', version))[0].inputSchema).toEqual(inputSchema)
})

works(INPUT, 'what is no JSON Schema', async () => {
  const inputSchema = { type: 'object', properties: { a: { minLength: -1 }, b: 1 }, required: 'a' }
  expect(await refused({ name: 'input_none', ...PLAIN, inputSchema })).toEqual({
    '/inputSchema/required': 'Must be an array of different strings',
    '/inputSchema/properties/a/minLength': 'Must be a whole number, 0 or more',
    '/inputSchema/properties/b': 'Must be a schema: an object, true or false',
  })
})

deviates(INPUT, 'patterns that cannot be judged in linear time', 'patterns (`pattern`', async () => {
  const problems = await refused({ name: 'input_patterns', ...PLAIN, inputSchema: WITH_REFUSED_PATTERNS })
  expect(Object.keys(problems).toSorted()).toEqual(refusedPlaces('/inputSchema'))
})

works(INPUT, 'a reference that leads out of it', async () => {
  const inputSchema = { type: 'object', properties: { a: { $ref: 'https://x.example/a.json' } } }
  expect(await refused({ name: 'input_out', ...PLAIN, inputSchema })).toEqual({
    '/inputSchema/properties/a/$ref':
      'Must begin with "#", since other documents are never fetched, got "https://x.example/a.json"',
  })
})

const INPUT_OBJECT = 'Must be an object type schema. Defines'

works(INPUT_OBJECT, 'of another type, or of none', async () => {
  for (const type of ['array', 'string', ['object', 'null'], null, undefined]) {
    expect(await refused({ name: 'input_typed', ...PLAIN, inputSchema: { type, properties: {} } })).toEqual({
      '/inputSchema/type': "Must be 'object': a tool's arguments have names",
    })
  }
})

works(INPUT_OBJECT, 'anything but an object', async () => {
  for (const [inputSchema, got] of [
    [true, 'true'],
    ['object', "'object'"],
    [[], 'an empty array'],
  ]) {
    expect(await refused({ name: 'input_other', description: 'It.', inputSchema })).toEqual({
      '/inputSchema': `Must be a JSON Schema object, got ${got}`,
    })
  }
})

works(INPUT_OBJECT, 'one that leaves properties and required out, or null', async () => {
  await publish({ name: 'input_bare', ...PLAIN, inputSchema: OBJECT }, 'InputBare', ECHO)
  const inputSchema = { type: 'object', properties: null, required: null, $defs: null }
  await publish({ name: 'input_nulls', ...PLAIN, inputSchema }, 'InputNulls', ECHO)
  for (const [toolkit, name] of [
    ['InputBare', 'input_bare'],
    ['InputNulls', 'input_nulls'],
  ] as const) {
    expect((await toolsOf(toolkit))[0].inputSchema).toEqual(OBJECT)
    expect(await callTool(name, { a: 1 })).toEqual(text('{"a":1}', { structuredContent: { a: 1 } }))
  }
})

const ARGUMENTS = 'Defines what arguments the tool accepts.'

works(ARGUMENTS, 'those that fit reach it', async () => {
  const { inputSchema } = FULL
  await publish({ name: 'arguments_fit', ...PLAIN, inputSchema }, 'ArgumentsFit', ECHO)
  for (const version of ALL) {
    expect(await callTool('arguments_fit', { a: 1.5, b: 'more' }, version)).toEqual(
      text('{"a":1.5,"b":"more"}', { structuredContent: { a: 1.5, b: 'more' } }),
    )
  }
})

works(ARGUMENTS, 'those that do not are named, and the tool does not run', async () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { type: 'number' }, b: { $ref: '#/$defs/b' } },
    required: ['a'],
    $defs: { b: { enum: ['x'] } },
  }
  const fails = code('export default () => { throw new Error("It ran") }')
  await publish({ name: 'arguments_misfit', ...PLAIN, inputSchema }, 'ArgumentsMisfit', fails)
  const errors = { a: 'Is required', b: "Must be one of 'x'" }
  for (const version of ALL) {
    expect(await callTool('arguments_misfit', { b: 'y' }, version)).toEqual(
      text("Some arguments are invalid\n- a: Is required\n- b: Must be one of 'x'", {
        isError: true,
        _meta: { 'dev.switchboard/parameter_errors': errors },
      }),
    )
  }
})

works(ARGUMENTS, 'none at all are an empty object; a list is none', async () => {
  await publish({ name: 'arguments_none', ...PLAIN }, 'ArgumentsNone', ECHO)
  for (const version of ALL) {
    expect(await callTool('arguments_none', undefined, version)).toEqual(text('{}', { structuredContent: {} }))
    const message = "Cannot read the params at 'arguments': Must be an object, got an array of 1"
    expect(await callTool('arguments_none', [1], version)).toEqual({ error: { code: -32602, message } })
  }
})

const META = '@SerialName(value = "_meta") open override val meta: JsonObject?'

works(META, 'under that name alone', async () => {
  const tool = { name: 'meta_named', ...PLAIN, meta: { a: 1 }, _meta: { 'example.com/b': 2 } }
  const { status, body } = await ask('POST', '/tools', submission(tool, 'MetaNamed'))
  expect({ status, paths: body.warnings.map(({ path }: { path: string }) => path) }).toEqual({
    status: 201,
    paths: ['/definition/meta'],
  })
  const { meta: _, ...shown } = tool
  expect(await toolsOf('MetaNamed')).toEqual([listed(shown, 'MetaNamed')])
})

works(META, 'anything but an object', async () => {
  for (const [_meta, got] of [
    [1, '1'],
    ['a', "'a'"],
    [[], 'an empty array'],
  ]) {
    expect(await refused({ name: 'meta_other', ...PLAIN, _meta })).toEqual({
      '/_meta': `Must be an object, got ${got}`,
    })
  }
})

const OPTIONAL_META = 'Optional metadata for this tool.'

works(OPTIONAL_META, 'whatever it holds is kept, and listed beside the id', async () => {
  const tool = {
    name: 'meta_kept',
    ...PLAIN,
    _meta: { 'example.com/x': { deep: [1, null, { y: '👋' }] }, 'plain': true },
  }
  await publish(tool, 'MetaKept')
  expect(await documentOf('MetaKept', 'meta_kept')).toEqual(tool)
  for (const version of ALL) expect(await toolsOf('MetaKept', version)).toEqual([listed(tool, 'MetaKept')])
})

works(OPTIONAL_META, 'a tool cannot pass for another by it', async () => {
  const tool = { name: 'meta_false', ...PLAIN, _meta: { 'dev.switchboard/id': 'Calculator.Add@1.0.0' } }
  await publish(tool, 'MetaFalse')
  expect((await toolsOf('MetaFalse'))[0]._meta).toEqual({ 'dev.switchboard/id': 'MetaFalse.meta_false@1.0.0' })
})

const IDENTIFIER = 'The programmatic identifier for this tool.'

works(IDENTIFIER, 'letters, digits, dashes and underscores, listed as they are', async () => {
  for (const [index, name] of ['getUser', 'DATA_EXPORT_v2', '2fa', 'a-b', 'x', 'n'.repeat(64)].entries()) {
    await publish({ name, ...PLAIN }, `Identifier${index}`)
    for (const version of ALL) expect((await toolsOf(`Identifier${index}`, version))[0].name).toBe(name)
  }
})

works(IDENTIFIER, 'other characters: listed so that models can call it, titled and called as published', async () => {
  const names = {
    'get weather': 'get_weather',
    'ns::get x': 'ns_get_x',
    'repo/list': 'repo_list',
    'wetter_für': 'wetter_fur',
  }
  const tools = Object.keys(names).map((name) => ({ name, ...PLAIN }))
  const body = { definition: { tools }, toolkit: 'Named', version: '1.0.0', implementation: giving({ of: 1 }) }
  expect((await ask('POST', '/tools', body)).status).toBe(201)
  for (const [name, tool] of Object.entries(names)) {
    expect(await toolsOf('Named')).toContainEqual(expect.objectContaining({ name: tool, title: name }))
    for (const called of [name, tool]) expect((await callTool(called)).content[0].text).toBe('{"of":1}')
  }
})

works(IDENTIFIER, 'none, one that cannot be seen, and no text', async () => {
  for (const [name, got] of [
    ['', "''"],
    ['a\u0000', 'a string of 2 characters'],
    [1, 1],
    ['n'.repeat(161), 'a string of 161 characters'],
  ]) {
    expect(await refused({ name, ...PLAIN })).toEqual({
      '/name': `Must be 1 to 160 characters that can be seen, got ${got}`,
    })
  }
})

works(IDENTIFIER, 'two tools of one listing have not the same', async () => {
  const tools = ['twice', 'Twice'].map((name) => ({ name, ...PLAIN }))
  expect(await refused({ tools })).toEqual({ '/tools/1/name': expect.stringContaining("'Twice'") })
})

deviates(
  IDENTIFIER,
  'of two tools, the second is called by its toolkit too',
  '"The programmatic identifier for this tool"',
  async () => {
    await publish({ name: 'identifier_taken', ...PLAIN }, 'IdentifierFirst', giving({ of: 1 }))
    const second = submission({ name: 'identifier_taken', ...PLAIN }, 'IdentifierSecond', giving({ of: 2 }))
    const { status, body } = await ask('POST', '/tools?dialect=mcp', second)
    expect([status, JSON.stringify(body.warnings)]).toEqual([
      201,
      expect.stringContaining('IdentifierSecond_identifier'),
    ])
    expect((await toolsOf('IdentifierFirst'))[0].name).toBe('identifier_taken')
    const [{ name }] = await toolsOf('IdentifierSecond')
    expect(name).toBe('IdentifierSecond_identifier_taken')
    expect(await callTool('identifier_taken')).toEqual(text('{"of":1}', { structuredContent: { of: 1 } }))
    expect(await callTool(name)).toEqual(text('{"of":2}', { structuredContent: { of: 2 } }))
  },
)

works(IDENTIFIER, 'within its toolkit, also where a tool of another toolkit has the name', async () => {
  await publish({ name: 'bare-name', ...PLAIN }, 'BareFirst', giving({ of: 1 }))
  await ask('POST', '/tools?dialect=mcp', submission({ name: 'bare-name', ...PLAIN }, 'BareSecond', giving({ of: 2 })))
  const within = async (query: string, name = 'bare-name') =>
    (await mcp('2025-11-25', 'tools/call', { name }, query)).content[0].text
  expect(await within('?toolkits=BareSecond')).toBe('{"of":2}')
  expect(await within('?tools=BareSecond.*', 'BareSecond_bare_name')).toBe('{"of":2}')
  expect(await within('?tools=BareSecond.bare_name')).toBe('{"of":2}')
  // With both toolkits, it means the tool that lists show by this name
  expect(await within('?toolkits=BareSecond,BareFirst')).toBe('{"of":1}')
  expect(await mcp('2025-11-25', 'tools/call', { name: 'bare-name' }, '?toolkits=Calculator')).toHaveProperty('error')
  const listed = async (query: string) => (await mcp('2025-11-25', 'tools/list', {}, query)).tools.map(nameOf)
  const nameOf = ({ name }: Tool) => name
  expect(await listed('?toolkits=BareSecond&names=bare')).toEqual(['bare-name'])
  expect(await within('?toolkits=BareSecond&names=bare')).toBe('{"of":2}')
  expect(await listed('?toolkits=BareSecond')).toEqual(['BareSecond_bare_name'])
  expect(await listed('?toolkits=BareSecond,BareFirst&names=bare')).toEqual(['bare-name', 'BareSecond_bare_name'])
  const searching = async (name: string, query: string) => {
    const params = { name, arguments: { name: 'bare-name' } }
    return (await mcp('2025-11-25', 'tools/call', params, `?mode=search&toolkits=${query}`)).content[0].text
  }
  expect(JSON.parse(await searching('describe_tool', 'BareSecond'))).toMatchObject(PLAIN)
  expect(await searching('call_tool', 'BareSecond')).toBe('{"of":2}')
  expect(await searching('describe_tool', 'Calculator')).toContain("Unknown tool: 'bare-name'")
})

deviates(IDENTIFIER, 'dots and up to 128 characters, where the revision has them', 'Names have dots', async () => {
  const long = 'identifier_' + 'n'.repeat(117)
  for (const [toolkit, name, plain] of [
    ['IdentifierDots', 'identifier.with.dots', 'identifier_with_dots'],
    ['IdentifierLong', long, expect.stringMatching(/^identifier_n{44}_[0-9a-f]{8}$/)],
  ] as const) {
    expect((await ask('POST', '/tools', submission({ name, ...PLAIN }, toolkit))).status).toBe(201)
    for (const version of OLD) expect((await toolsOf(toolkit, version))[0].name).toEqual(plain)
    for (const version of NEW) expect((await toolsOf(toolkit, version))[0].name).toBe(name)
    const [{ name: older }] = await toolsOf(toolkit, '2024-11-05')
    for (const version of ALL) {
      for (const each of [name, older]) {
        expect(await callTool(each, {}, version)).toEqual(text('{"sum":5}', { structuredContent: { sum: 5 } }))
      }
    }
  }
})

const LOGICAL = 'Intended for logical use and API identification.'

works(LOGICAL, 'the tool is called by it, and its title is no name', async () => {
  await publish({ name: 'logical_name', ...FULL, title: 'LogicalTitle' }, 'Logical')
  expect(await callTool('logical_name', { a: 1 })).toEqual(text('{"sum":5}', { structuredContent: { sum: 5 } }))
  expect(await callTool('LogicalTitle', { a: 1 })).toEqual({
    error: { code: -32602, message: "Unknown tool: 'LogicalTitle': did you mean 'logical_name'?" },
  })
})

works(LOGICAL, 'its id here is made of it', async () => {
  await publish({ name: 'id_logical', ...PLAIN }, 'LogicalId')
  const { status, body } = await ask('POST', '/tools/call', { tool_id: 'LogicalId.id_logical@1.0.0' })
  expect({ status, value: body.result.value }).toEqual({ status: 200, value: { sum: 5 } })
})

const FALLBACK = 'Used as a display name fallback if both title and annotations.title are not provided.'

works(FALLBACK, 'nothing is made up in their place', async () => {
  const tool = { name: 'fallback_name', ...PLAIN }
  await publish(tool, 'Fallback')
  for (const version of ALL) expect(await toolsOf('Fallback', version)).toEqual([listed(tool, 'Fallback')])
})

const OUTPUT =
  "An optional JSON Schema object defining the structure of the tool's output returned in the structuredContent field of a CallToolResult."

works(OUTPUT, 'the output is structuredContent, and a text beside it', async () => {
  const { outputSchema } = FULL
  await publish(
    { name: 'output_structured', ...PLAIN, outputSchema },
    'OutputStructured',
    giving({ sum: 5, more: [1] }),
  )
  for (const version of ALL) {
    expect(await callTool('output_structured', {}, version)).toEqual(
      text('{"sum":5,"more":[1]}', { structuredContent: { sum: 5, more: [1] } }),
    )
  }
})

works(OUTPUT, 'an output that does not hold to it is an error, and is not given', async () => {
  const { outputSchema } = FULL
  await publish({ name: 'output_misfit', ...PLAIN, outputSchema }, 'OutputMisfit', giving({ sum: 'private' }))
  for (const version of ALL) {
    const said = 'The output does not match the output schema: /sum: Must be a number'
    expect(await callTool('output_misfit', {}, version)).toEqual(text(said, { isError: true }))
  }
})

deviates(OUTPUT, 'of more than 256 KiB, a link', '"Servers MUST provide structured results', async () => {
  const { outputSchema } = FULL
  const large = code('export default () => ({ sum: 5, more: "x".repeat(300_000) })')
  await publish({ name: 'output_large', ...PLAIN, outputSchema }, 'OutputLarge', large)
  await publish({ name: 'output_larger', ...PLAIN }, 'OutputLarger', large)
  const link = expect.objectContaining({ type: 'resource_link', mimeType: 'application/json' })
  const { content, isError } = await callTool('output_large')
  expect({ content, isError }).toMatchObject({ content: expect.arrayContaining([link]), isError: true })
  const free = await callTool('output_larger')
  expect(free).toMatchObject({ content: expect.arrayContaining([link]) })
  expect(free).not.toHaveProperty('isError')
  expect(JSON.parse((await raw(server.url, { path: content.find(isLink).uri.replace(server.url, '') })).text).sum).toBe(
    5,
  )
})
const isLink = ({ type }: Fields) => type === 'resource_link'

works(OUTPUT, 'references within it count', async () => {
  const outputSchema = { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { maximum: 3 } } }
  await publish({ name: 'output_refers', ...PLAIN, outputSchema }, 'OutputRefers', ECHO)
  for (const version of ALL) {
    expect((await toolsOf('OutputRefers', version))[0].outputSchema).toEqual(outputSchema)
    expect(await callTool('output_refers', { n: 3 }, version)).toEqual(text('{"n":3}', { structuredContent: { n: 3 } }))
    expect(await callTool('output_refers', { n: 4 }, version)).toMatchObject({ isError: true })
  }
})

works(OUTPUT, 'without one none is listed, and any output is given', async () => {
  await publish({ name: 'output_absent', ...PLAIN }, 'OutputAbsent', code('export default ({ v }) => v'))
  for (const version of ALL) {
    expect((await toolsOf('OutputAbsent', version))[0]).not.toHaveProperty('outputSchema')
    expect(await callTool('output_absent', { v: { a: 1 } }, version)).toEqual(
      text('{"a":1}', { structuredContent: { a: 1 } }),
    )
    expect(await callTool('output_absent', { v: 'said' }, version)).toMatchObject(text('said'))
  }
})

works(OUTPUT, 'structuredContent is an object, but in the revision that lets it be anything', async () => {
  await publish({ name: 'output_any', ...PLAIN }, 'OutputAny', code('export default ({ v }) => v'))
  for (const version of ALL) {
    const more = version === '2026-07-28' ? { structuredContent: [1] } : {}
    expect(await callTool('output_any', { v: [1] }, version)).toEqual(text('[1]', more))
    expect(await callTool('output_any', { v: null }, version)).toEqual(text('null'))
  }
})

const OUTPUT_OBJECT = 'Must be an object type schema if provided.'

works(OUTPUT_OBJECT, 'of another type, or of none', async () => {
  for (const outputSchema of [
    { type: 'array' },
    { type: 'string' },
    { type: ['object', 'null'] },
    {},
    { anyOf: [OBJECT] },
  ]) {
    expect(await refused({ name: 'output_typed', ...PLAIN, outputSchema })).toEqual({
      '/outputSchema/type': "Must be 'object': a tool's structured content has names",
    })
  }
})

works(OUTPUT_OBJECT, 'anything but an object', async () => {
  for (const [outputSchema, got] of [
    [true, 'true'],
    ['object', "'object'"],
    [[], 'an empty array'],
  ]) {
    expect(await refused({ name: 'output_other', ...PLAIN, outputSchema })).toEqual({
      '/outputSchema': `Must be a JSON Schema object, got ${got}`,
    })
  }
})

works(OUTPUT_OBJECT, 'one that leaves properties and required out, or null', async () => {
  const outputSchema = { type: 'object', properties: null, required: null }
  await publish({ name: 'output_nulls', ...PLAIN, outputSchema }, 'OutputNulls', giving({ a: 1 }))
  expect((await toolsOf('OutputNulls'))[0].outputSchema).toEqual(OBJECT)
  expect(await callTool('output_nulls')).toEqual(text('{"a":1}', { structuredContent: { a: 1 } }))
})

deviates(OUTPUT_OBJECT, 'the outputs of other tools', '"Must be an object type schema if provided"', async () => {
  const number = { type: 'number', description: 'The sum of the two numbers.' }
  const wrapped = { type: 'object', properties: { result: number }, required: ['result'] }
  for (const version of ALL) {
    const isAny = version === '2026-07-28'
    const { tools } = await mcp(version, 'tools/list', {}, '?tools=Calculator.Add')
    expect(tools[0].outputSchema).toEqual(isAny ? number : wrapped)
    const structuredContent = isAny ? 15 : { result: 15 }
    expect(await callTool('Calculator_Add', { a: 10, b: 5 }, version)).toEqual(text('15', { structuredContent }))
  }
})

const TITLE = 'Optional human-readable display name for this tool.'

works(TITLE, 'is kept, and listed to clients of every revision', async () => {
  const tool = { name: 'title_kept', ...PLAIN, title: 'Grüß Gott — 👋 "sagen"' }
  await publish(tool, 'TitleKept')
  for (const version of ALL) expect(await toolsOf('TitleKept', version)).toEqual([listed(tool, 'TitleKept')])
})

works(TITLE, 'anything but a text', async () => {
  for (const [title, got] of [
    [1, '1'],
    [false, 'false'],
    [{}, 'an object'],
  ]) {
    expect(await refused({ name: 'title_other', ...PLAIN, title })).toEqual({
      '/title': `Must be a string, got ${got}`,
    })
  }
})

const END_USERS =
  'Intended for UI and end-user contexts, optimized to be easily understood even by those unfamiliar with domain-specific terminology.'

works(END_USERS, 'people find the tool by it, and see it', async () => {
  await publish({ name: 'title_found', ...PLAIN, title: 'Zugzwang finder' }, 'TitleFound')
  const query = { name: 'search_tools', arguments: { query: 'zugzwang' } }
  const { content } = await mcp('2025-11-25', 'tools/call', query, '?mode=search')
  expect(JSON.parse(content[0].text)).toEqual({
    total: 1,
    tools: [{ name: 'title_found', title: 'Zugzwang finder', description: 'Does something.' }],
  })
  expect(await pageOf('/?q=zugzwang')).toContain('<bdi><mark>Zugzwang</mark> finder</bdi>')
})

deviates(
  'Note: For Tool specifically, annotations.title takes precedence over this field.',
  'the document says the other order too',
  '"annotations.title takes precedence over"',
  async () => {
    const tool = { name: 'title_both', ...PLAIN, title: 'The Title', annotations: { title: 'Its Annotation' } }
    await publish(tool, 'TitleBoth')
    for (const version of ALL) expect(await toolsOf('TitleBoth', version)).toEqual([listed(tool, 'TitleBoth')])
    expect(await headingOf('TitleBoth', 'title_both')).toBe('The Title')
  },
)

whole()
