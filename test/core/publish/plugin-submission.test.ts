import { expect, it } from 'vitest'
import { type PluginOptions, pluginSubmission } from '../../../src/core/publish/plugin-submission.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { plugin } from '../../../src/dialects/plugin/definition.ts'
import { principal, worldOf } from './fakes.ts'

const OPTIONS: PluginOptions = { toolkit: 'Box', version: '1.2.3', allowed_hosts: [], config: {} }
const tool = (name: string, more: JsonObject = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  ...more,
})
const tools = (count: number) => Array.from({ length: count }, (_, index) => tool(`t${index}`))

const made = (described: JsonObject, options: Partial<PluginOptions> = {}) =>
  pluginSubmission(described, (name) => ({ kind: 'echo', tool: name }), { ...OPTIONS, ...options }, plugin)
function submission(described: JsonObject, options: Partial<PluginOptions> = {}) {
  const result = made(described, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

it("a plugin's description becomes one submission of all its tools, each with its own document", () => {
  const [add, sub] = [tool('add'), tool('sub')]
  const definition = (name: string) => ({
    toolkit: 'Box',
    tool: name,
    version: '1.2.3',
    name,
    description: `Does ${name}`,
    input: { type: 'object' },
    output: {},
    requirements: { authorization: [], secrets: [], user_id: false },
    tags: [],
  })
  expect(submission({ tools: [add, sub] })).toEqual({
    kind: 'definitions',
    tools: [
      {
        definition: definition('add'),
        sourceName: 'add',
        implementation: { kind: 'echo', tool: 'add' },
        dialect: 'plugin',
        document: { tools: [add] },
        schemaPaths: { input: '/tools/0/inputSchema', output: '/tools/0', name: 'add' },
      },
      {
        definition: definition('sub'),
        sourceName: 'sub',
        implementation: { kind: 'echo', tool: 'sub' },
        dialect: 'plugin',
        document: { tools: [sub] },
        schemaPaths: { input: '/tools/1/inputSchema', output: '/tools/1', name: 'sub' },
      },
    ],
    warnings: [],
  })
})

it("a plugin's description requires each secret of its configuration once, in each tool", () => {
  const config = { a: 'KEY_A', b: 'KEY_B', c: 'KEY_A' }
  const { tools: all } = submission({ tools: tools(2) }, { config })
  const requirements = { authorization: [], secrets: [{ id: 'KEY_A' }, { id: 'KEY_B' }], user_id: false }
  expect(all.map(({ definition }) => definition.requirements)).toEqual([requirements, requirements])
})

it("a plugin's description gets the requested security level", () => {
  for (const securityLevel of [0, 9]) {
    const { tools: all } = submission({ tools: tools(2) }, { security_level: securityLevel })
    expect(all.map(({ definition }) => definition.securityLevel)).toEqual([securityLevel, securityLevel])
  }
  expect(submission({ tools: tools(1) }).tools[0]?.definition).not.toHaveProperty('securityLevel')
  expect(submission({ tools: tools(1) })).not.toHaveProperty('isGuarded')
})

it("a plugin's description gets the requested approval, with a level of at least one", () => {
  const approved = submission({ tools: tools(2) }, { approval: true })
  expect(approved.isGuarded).toBe(true)
  const asked = { requiresApproval: true, securityLevel: 1 }
  expect(approved.tools.map(({ definition }) => definition)).toMatchObject([asked, asked])
})

it("a plugin's description has at most 256 tools", () => {
  expect(submission({ tools: tools(256) }).tools).toHaveLength(256)
  expect(made({ tools: tools(257) })).toEqual({
    ok: false,
    problems: [{ path: '/tools', message: 'Must be at most 256 tools, got 257' }],
  })
})

it("a plugin's description must be valid in its dialect", () => {
  const refused = (message: string) => ({ ok: false, problems: [{ path: '/tools', message }] })
  expect(made({})).toEqual(refused('Is required'))
  expect(made({ tools: 7 })).toEqual(refused('Must be an array, got 7'))
  expect(made({ tools: [] })).toEqual({ ok: true, value: { kind: 'definitions', tools: [], warnings: [] } })
  expect(made({ tools: [tool('a'), tool('A')] })).toMatchObject({ ok: false, problems: [{ path: '/tools/1/name' }] })
})

it("a plugin's tool is called by the plugin's own name for it", () => {
  const [made] = submission({ tools: [tool('web.fetch')] }).tools
  expect(made).toMatchObject({ definition: { tool: 'web_fetch' }, implementation: { tool: 'web.fetch' } })
})

it("a plugin's description returns the first 20 warnings", () => {
  const extra = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x${index}`, 1]))
  const { warnings } = submission({ tools: [tool('a', extra)] })
  expect(warnings.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, index) => `/tools/0/x${index}`))
})

it("a plugin's tools are stored together or not at all, and problems name their tool", async () => {
  const { publish, stored } = worldOf({ granted: ['KEY'] })
  const send = async (described: JsonObject, config = {}, by = principal('*')) =>
    (await publish([submission(described, { config })], { principal: by, allowBreaking: false }))[0]
  const bad = tool('bad', { inputSchema: { type: 'object', properties: 5 } })
  expect(await send({ tools: [tool('a'), bad, bad].map((each, index) => ({ ...each, name: `n${index}` })) })).toEqual({
    ok: false,
    ids: [],
    failure: {
      type: 'definition-invalid',
      problems: [1, 2].map((index) => ({
        path: `/tools/${index}/inputSchema/properties`,
        message: expect.any(String),
      })),
    },
  })
  const config = { key: 'KEY' }
  expect(await send({ tools: tools(2) }, config)).toMatchObject({ ok: false, failure: { type: 'forbidden' } })
  expect(stored).toEqual([])
  expect(await send({ tools: tools(2) }, config, principal('Box.*'))).toMatchObject({ ok: true })
  expect(stored).toMatchObject([
    [
      {
        records: [
          { id: 'Box.t0@1.2.3', source: { dialect: 'plugin', document: { tools: [tool('t0')] } } },
          { id: 'Box.t1@1.2.3', source: { dialect: 'plugin', document: { tools: [tool('t1')] } } },
        ],
        specified: { implementation: true, tags: false },
      },
    ],
  ])
})
