import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { checkSchema } from '../../../src/core/schema/publishable.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from '../../../src/core/tool/tool.ts'
import { openToolCalling } from '../../../src/dialects/open-tool-calling/definition.ts'
import { DEFINITION_SCHEMA } from '../../../src/dialects/open-tool-calling/schema-uri.ts'
import { hasShared, readShared, unlessShared } from '../../shared.ts'
import { DEFINITION } from './example.ts'

const CATALOGUE = 'catalogues/rfc-definitions.ndjson'
const SCHEMA = 'specs/open-tool-calling/http/1.0/tool_definition.schema.json'

function decoded(document: JsonObject): Definition {
  const result = openToolCalling.decode(document, {})
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  for (const { schema } of result.value.schemas) expect(checkSchema(schema, { references: 'none' })).toEqual([])
  return result.value.definitions[0]!
}

function recordOf(definition: Definition, dialect = 'mcp', document: JsonObject = {}): ToolRecord {
  const { toolkit, tool, version, requirements } = definition
  return {
    ...definition,
    id: `${toolkit}.${tool}@${version}`,
    securityLevel: definition.securityLevel ?? deriveSecurityLevel(requirements),
    source: { dialect, document },
    digest: '0',
  }
}

function problemsOf(change: JsonObject, given = {}) {
  const result = openToolCalling.decode({ ...DEFINITION, ...change }, given)
  return result.ok ? [] : result.problems.map(({ path }) => path)
}

describe('a definition', () => {
  it('becomes a record', () => {
    expect(decoded(DEFINITION)).toEqual({
      toolkit: 'Gmail',
      tool: 'GetEmails',
      version: '1.2.0',
      name: 'Gmail_GetEmails',
      description: 'Retrieves emails',
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for' },
          labels: { type: 'array', items: { type: 'string', enum: ['inbox', 'sent'] } },
          options: {},
          token: { type: 'string' },
        },
        required: ['query'],
      },
      output: { type: ['array', 'null'], items: {}, description: 'The emails' },
      requirements: {
        authorization: [{ id: 'google', oauth2: { scopes: ['gmail.readonly'] } }],
        secrets: [{ id: 'API_KEY' }],
        user_id: false,
      },
      metadata: { toolkit_description: 'Mail', non_inferrable_parameters: ['token'] },
      tags: [],
    })
  })

  it('is returned unchanged, and is recognized', () => {
    expect(openToolCalling.recognizes(DEFINITION)).toBe(true)
    expect(openToolCalling.recognizes({ input_schema: {}, id: 'A.B@1.0.0' })).toBe(false)
    const record = recordOf(decoded(DEFINITION), 'open-tool-calling', DEFINITION)
    expect(openToolCalling.encode(record)).toEqual({ document: DEFINITION, losses: [] })
  })

  it.each([
    [['value', 'error'], { type: 'string' }],
    [['value', 'error', 'null'], { type: ['string', 'null'] }],
    [['null', 'error'], null],
    [['error'], null],
    [['value', 'artifact'], { type: 'string' }],
    [['artifact', 'error'], {}],
    [['artifact', 'null'], null],
  ])('with the modes %j has the output %j', (available_modes, output) => {
    const change = { output: { available_modes, value_schema: { val_type: 'string' } } }
    expect(decoded({ ...DEFINITION, ...change }).output).toEqual(output)
  })

  it.each([
    [null, []],
    ['none', []],
    ['token', [{ id: 'token' }]],
    [{ provider_type: 'oauth2', id: 'mine' }, [{ id: 'mine' }]],
    [{ provider_type: 'oauth2' }, [{ id: 'oauth2' }]],
    [
      { provider_type: 'oauth2', provider_id: 'google', id: 'x', oauth2: {} },
      [{ id: 'google', oauth2: { scopes: [] } }],
    ],
  ])('with the authorization %j requires %j', (authorization, wanted) => {
    expect(decoded({ ...DEFINITION, requirements: { authorization } }).requirements.authorization).toEqual(wanted)
  })

  it.each<[string, JsonObject, string[]]>([
    ['a misspelt field', { requirement: {} }, ['/requirement']],
    ['no array', { input: { parameters: {} } }, ['/input/parameters']],
    ['no toolkit version', { toolkit: { name: 'Gmail' } }, ['/toolkit/version']],
    ['another name', { fully_qualified_name: 'Gmail.Other@1.2.0' }, ['/fully_qualified_name']],
    ['another version', { fully_qualified_name: 'Gmail.GetEmails@1.2.1' }, ['/fully_qualified_name']],
    ['no modes', { output: { available_modes: [] } }, ['/output/available_modes']],
    ['a secret without an id', { requirements: { secrets: [{}] } }, ['/requirements/secrets/0/key_id']],
    ['a strange authorization', { requirements: { authorization: 'basic' } }, ['/requirements/authorization']],
    [
      'much at once',
      {
        name: 7,
        input: {
          parameters: [
            { name: 'a', required: 'yes', value_schema: { val_type: 'array' } },
            { name: 'a', required: true, value_schema: { val_type: 'date', enum: [1] } },
          ],
        },
      },
      [
        '/name',
        '/input/parameters/0/required',
        '/input/parameters/0/value_schema/inner_val_type',
        '/input/parameters/1/value_schema/val_type',
        '/input/parameters/1/value_schema/enum',
        '/input/parameters/1/name',
      ],
    ],
  ])('with %s is refused with paths', (_, change, paths) => {
    expect(problemsOf(change).sort()).toEqual([...paths].sort())
  })

  it('must agree with the fields given next to it', () => {
    expect(problemsOf({}, { toolkit: 'Mail', version: '2.0.0' })).toEqual(['/toolkit/version', '/toolkit/name'])
    expect(problemsOf({ fully_qualified_name: 'Gmail.GetEmails' })).toEqual([])
  })
})

describe('a definition that follows the text of the RFC', () => {
  const { fully_qualified_name: id, input, ...rest } = DEFINITION

  it("may have an 'id'", () => {
    expect(decoded({ ...rest, id: id ?? null, input: input ?? null })).toEqual(decoded(DEFINITION))
    expect(decoded({ ...DEFINITION, id: id ?? null })).toEqual(decoded(DEFINITION))
    const { metadata, ...others } = decoded(DEFINITION)
    expect(decoded({ ...rest, id: '7d1f9a6e-1b1c', input: input ?? null })).toEqual({
      ...others,
      metadata: { ...metadata, identifier: '7d1f9a6e-1b1c' },
    })
    const neither = openToolCalling.decode({ ...rest, input: input ?? null }, {})
    expect(neither).toEqual({ ok: false, problems: [{ path: '/fully_qualified_name', message: 'Is required' }] })
  })

  it('may list its parameters as its input', () => {
    const { parameters } = JSON.parse(JSON.stringify(input))
    const document: JsonObject = { ...DEFINITION, input: parameters }
    expect(decoded(document)).toEqual(decoded(DEFINITION))
    const record = recordOf(decoded(document), 'open-tool-calling', document)
    expect(openToolCalling.encode(record)).toEqual({ document, losses: [] })
  })

  it.each<[string, string, string]>([
    ['Get e-mails', 'Gmail.GetEmails@1.2.0', 'GetEmails'],
    ['Get e-mails', 'Get e-mails', 'Get_e-mails'],
    ['¿Qué?', 'x', 'Qu'],
    ['名前', 'x', 'tool_ae08bf8f'],
  ])("may have the human-readable name '%s'", (name, fully_qualified_name, tool) => {
    const result = openToolCalling.decode({ ...DEFINITION, name, fully_qualified_name }, {})
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    const { definitions, warnings } = result.value
    expect(definitions[0]).toMatchObject({ toolkit: 'Gmail', tool, title: name })
    expect(warnings).toEqual([{ path: '/name', message: `It is called 'Gmail.${tool}' here` }])
  })

  it('may have a readable toolkit name, which the publisher can replace', () => {
    const document = { ...DEFINITION, fully_qualified_name: 'x', toolkit: { name: 'My mail', version: '1.2.0' } }
    expect(decoded(document)).toMatchObject({ toolkit: 'My_mail', tool: 'GetEmails' })
    const given = openToolCalling.decode(document, { toolkit: 'Post' })
    expect(given.ok && given.value.definitions[0]?.toolkit).toBe('Post')
  })

  it.each([
    'https://github.com/OpenToolCalling/Specification/tree/main/specification/http/1.0/tool_definition.schema.json',
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
  ])("may have the schema '%s'", ($schema) => {
    expect(decoded({ ...DEFINITION, $schema })).toEqual(decoded(DEFINITION))
  })
})

describe('a record of another dialect', () => {
  const plain: Definition = {
    toolkit: 'A',
    tool: 'B',
    version: '1.0.0',
    name: 'A_B',
    description: 'D',
    input: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    output: { type: 'string' },
    requirements: { authorization: [], secrets: [], user_id: false },
    tags: [],
  }
  const written = (more: Partial<Definition>) =>
    JSON.parse(JSON.stringify(openToolCalling.encode(recordOf({ ...plain, ...more })).document))

  it('names its schema, and describes its toolkit', () => {
    expect(written({})).toMatchObject({
      $schema: DEFINITION_SCHEMA,
      toolkit: { name: 'A', version: '1.0.0', description: 'The tools of A' },
    })
    const metadata = { toolkit_description: 'Letters' }
    expect(written({ metadata }).toolkit.description).toBe('Letters')
    const again = openToolCalling.decode(written({}), {})
    const modes = ['value', 'error', 'artifact']
    expect(again.ok && again.value.definitions[0]).toEqual({ ...plain, metadata: { available_modes: modes } })
  })

  it.each<[Partial<Definition>, readonly string[]]>([
    [{}, ['value', 'error', 'artifact']],
    [{ output: true }, ['value', 'error', 'null', 'artifact']],
    [{ output: { type: 'object' } }, ['value', 'error', 'artifact']],
    [{ output: { type: ['integer', 'array'] } }, ['value', 'error', 'artifact']],
    [{ output: { anyOf: [{ type: 'string' }] } }, ['value', 'error', 'artifact']],
    [{ output: { type: 'string', maxLength: 43_691 } }, ['value', 'error', 'artifact']],
    [{ output: { type: 'string', maxLength: 43_690 } }, ['value', 'error']],
    [{ output: { maxLength: 1 } }, ['value', 'error', 'artifact']],
    [{ output: { type: 'string', enum: ['a'] } }, ['value', 'error']],
    [{ output: { const: 'a' } }, ['value', 'error']],
    [{ output: { type: 'number' } }, ['value', 'error']],
    [{ output: { type: 'boolean' } }, ['value', 'error']],
    [{ output: false }, ['value', 'error']],
    [{ output: null }, ['null', 'error']],
    [
      { requirements: { authorization: [{ id: 'g' }], secrets: [], user_id: false } },
      ['value', 'error', 'artifact', 'requires_authorization'],
    ],
    [{ securityLevel: 8 }, ['value', 'error', 'artifact', 'requires_authorization']],
    [{ securityLevel: 7 }, ['value', 'error', 'artifact']],
    [{ output: null, metadata: { available_modes: ['artifact'] } }, ['null', 'error', 'artifact']],
    [{ output: { type: 'number' }, metadata: { available_modes: 'artifact' } }, ['value', 'error']],
    [{ output: { type: 'number' }, metadata: { available_modes: ['artifact'] } }, ['value', 'error', 'artifact']],
  ])('with %j lists the modes %j', (more, modes) => {
    expect(written(more).output.available_modes).toEqual(modes)
  })

  it('marks the parameters that no model may infer', () => {
    const { input } = written({ metadata: { non_inferrable_parameters: ['b'] } })
    expect(input.parameters.map((each: { inferrable: boolean }) => each.inferrable)).toEqual([true, false])
  })

  it('reports what the RFC cannot express', () => {
    const record = recordOf({
      ...decoded(DEFINITION),
      name: 'other',
      title: 'T',
      input: {
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: ['string', 'null'], minLength: 1 }, b: { type: 'object', properties: { c: {} } } },
      },
      output: { type: 'array', items: { type: 'array', items: {} } },
      requirements: { authorization: [{ id: 'a' }, { id: 'b' }], secrets: [], user_id: true },
      securityLevel: 7,
    })
    const { losses } = openToolCalling.encode(record)
    expect(losses.map(({ path }) => path).sort()).toEqual(
      [
        '/name',
        '/title',
        '/metadata',
        '/input/additionalProperties',
        '/input/properties/a/type',
        '/input/properties/a/minLength',
        '/input/properties/b/properties',
        '/input/properties/b/type',
        '/output/items/type',
        '/output/items/items',
        '/requirements/authorization/1',
        '/requirements/user_id',
        '/securityLevel',
      ].sort(),
    )
  })

  const value = fc.constantFrom<JsonObject>(
    { type: 'string' },
    { type: 'string', enum: ['a', 'b'] },
    { type: 'integer', minimum: 1 },
    { type: 'object' },
    { type: 'object', properties: { x: {} } },
    { type: 'array', items: { type: 'number' } },
    { type: 'array', items: { enum: ['a'] } },
    { type: 'array' },
    { type: ['integer', 'null'] },
    { const: 'a' },
    { anyOf: [{ type: 'string' }] },
    {},
  )
  const records = fc
    .record({
      properties: fc.dictionary(fc.string({ maxLength: 5 }), fc.tuple(value, fc.boolean(), fc.boolean())),
      output: fc.option(value),
      scopes: fc.option(fc.array(fc.string())),
      secrets: fc.uniqueArray(fc.constantFrom({ id: 'A' }, { id: 'B' })),
      user_id: fc.boolean(),
    })
    .map(({ properties, output, scopes, secrets, user_id }): ToolRecord => {
      const named = Object.entries(properties)
      const required = named.filter(([, [, isRequired]]) => isRequired).map(([name]) => name)
      return recordOf({
        toolkit: 'A',
        tool: 'B',
        version: '1.0.0',
        name: 'A_B',
        description: 'D',
        output,
        tags: [],
        input: {
          type: 'object',
          properties: Object.fromEntries(
            named.map(([name, [schema, , said]]) => [name, said ? { ...schema, description: 'd' } : schema]),
          ),
          ...(required.length > 0 ? { required } : {}),
        },
        requirements: { authorization: scopes ? [{ id: 'p', oauth2: { scopes } }] : [], secrets, user_id },
      })
    })

  it('is decoded unchanged, except for the reported losses', () => {
    fc.assert(
      fc.property(records, (record) => {
        const { document, losses } = openToolCalling.encode(record)
        const again = recordOf(decoded(document as JsonObject), 'mcp')
        const spelled = (schema: unknown) =>
          JSON.parse(
            JSON.stringify(schema)
              .replaceAll('"const":"a"', '"type":"string","enum":["a"]')
              .replaceAll('{"enum":["a"]', '{"type":"string","enum":["a"]'),
          )
        for (const field of ['input', 'output', 'requirements', 'description', 'securityLevel'] as const) {
          if (losses.some(({ path }) => path.startsWith(`/${field}`))) continue
          expect(spelled(again[field])).toEqual(spelled(record[field]))
        }
      }),
    )
  })

  it.skipIf(!hasShared(SCHEMA))(`gives a valid document${unlessShared(SCHEMA)}`, () => {
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readShared(SCHEMA)))
    expect(validate(DEFINITION)).toBe(true)
    fc.assert(
      fc.property(records, (record) => {
        expect(validate(openToolCalling.encode(record).document) || validate.errors).toBe(true)
      }),
    )
  })
})

/** A definition with what is said of every tool, where its publisher left that out. */
function completed(document: JsonObject): unknown {
  const { output, requirements, toolkit } = JSON.parse(JSON.stringify(document))
  const { value_schema: schema, ...rest } = output
  const isAny = schema?.val_type === 'json'
  const isScalar = ['number', 'integer', 'boolean'].includes(output.value_schema?.val_type)
  const large = isScalar || !output.available_modes.includes('value') ? [] : ['artifact']
  const asks = requirements?.authorization ? ['requires_authorization'] : []
  return {
    ...document,
    $schema: DEFINITION_SCHEMA,
    toolkit: { ...toolkit, description: `The tools of ${toolkit.name}` },
    output: {
      ...(isAny ? rest : output),
      available_modes: [...new Set([...output.available_modes, ...(isAny ? ['null'] : []), ...large, ...asks])],
    },
  }
}

describe('third-party definitions', () => {
  it.skipIf(!hasShared(CATALOGUE))(`are decoded, and returned unchanged${unlessShared(CATALOGUE)}`, () => {
    const documents = readShared(CATALOGUE)
      .trim()
      .split('\n')
      .map((line): JsonObject => JSON.parse(line))
    expect(documents.length).toBeGreaterThan(0)
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readShared(SCHEMA)))
    for (const document of documents) {
      const definition = decoded(document)
      expect(openToolCalling.encode(recordOf(definition, 'open-tool-calling', document)).document).toEqual(document)
      const own = openToolCalling.encode(recordOf(definition))
      expect(validate(own.document)).toBe(true)
      expect(own.document).toEqual(completed(document))
    }
  })
})

describe('the decoding of a definition', () => {
  it.each<[JsonObject, unknown]>([
    [{ $schema: 1 }, [['/$schema', `Must be the schema of the RFC, '${DEFINITION_SCHEMA}', got 1`]]],
    [
      { $schema: 'urn:otc:2.0' },
      [['/$schema', `Must be the schema of the RFC, '${DEFINITION_SCHEMA}', got 'urn:otc:2.0'`]],
    ],
    [{ $schema: 'no uri' }, [['/$schema', `Must be the schema of the RFC, '${DEFINITION_SCHEMA}', got 'no uri'`]]],
    [{ name: '' }, [['/name', "Must be a string of 1 to 256 characters, got ''"]]],
    [
      { name: 'a b', fully_qualified_name: 'Mail.AB@1.2.0' },
      [['/fully_qualified_name', "Must be 'Gmail.AB@1.2.0', as the toolkit and the name say"]],
    ],
    [{ id: 'Gmail.GetEmails@1.2.1' }, [['/id', "Must be the 'fully_qualified_name', as it is written like one"]]],
    [{ fully_qualified_name: 7 }, [['/fully_qualified_name', 'Must be a string, got 7']]],
    [
      { fully_qualified_name: 'Gmail.Other@1.2.0' },
      [['/fully_qualified_name', "Must be 'Gmail.GetEmails@1.2.0', as the toolkit and the name say"]],
    ],
    [
      { fully_qualified_name: 'Mail.GetEmails@1.2.0' },
      [['/fully_qualified_name', "Must be 'Gmail.GetEmails@1.2.0', as the toolkit and the name say"]],
    ],
    [
      { fully_qualified_name: 'Mail.GetEmails' },
      [['/fully_qualified_name', "Must be 'Gmail.GetEmails', as the toolkit and the name say"]],
    ],
    [
      { fully_qualified_name: 'Gmail.GetEmails@1.2.1' },
      [['/fully_qualified_name', "Must be 'Gmail.GetEmails@1.2.0', as the toolkit and the name say"]],
    ],
    [{ description: 7 }, [['/description', 'Must be a string, got 7']]],
    [{ toolkit: 1 }, [['/toolkit', 'Must be an object, got 1']]],
    [
      { toolkit: { name: 'a b', version: '1' } },
      [['/fully_qualified_name', "Must be 'Gmail.GetEmails@1.0.0', as the toolkit and the name say"]],
    ],
    [
      { toolkit: { name: 'Gmail', version: '1.2.0', description: 1, more: 1 } },
      [['/toolkit/description', 'Must be a string, got 1']],
    ],
    [{ output: {} }, [['/output/available_modes', 'Is required']]],
    [
      { output: { available_modes: ['text'] } },
      [
        [
          '/output/available_modes',
          "Must be an array of one or more of 'value', 'error', 'null', 'artifact', 'requires_authorization', got an array of 1",
        ],
      ],
    ],
    [
      { output: { available_modes: [] } },
      [
        [
          '/output/available_modes',
          "Must be an array of one or more of 'value', 'error', 'null', 'artifact', 'requires_authorization', got an empty array",
        ],
      ],
    ],
    [
      { output: { available_modes: ['value'], description: 1, value_schema: 1, more: 1 } },
      [
        ['/output/description', 'Must be a string, got 1'],
        ['/output/value_schema', 'Must be an object, got 1'],
      ],
    ],
    [{ requirements: 1 }, [['/requirements', 'Must be an object, got 1']]],
    [
      { output_: 1 },
      [
        [
          '/output_',
          "Unknown field 'output_' (meant 'output'?): wanted '$schema', 'id', 'name', 'version', 'fully_qualified_name', 'description', 'toolkit', 'input', 'output', 'requirements'",
        ],
      ],
    ],
    [
      { name: 7, fully_qualified_name: 'Gmail.Other@1.2.0' },
      [['/name', 'Must be a string of 1 to 256 characters, got 7']],
    ],
    [{ fully_qualified_name: 'Gmail.Other@1.2.0', toolkit: { name: 'Gmail' } }, [['/toolkit/version', 'Is required']]],
    [
      { toolkit: { name: 'Gmail', version: 3 }, fully_qualified_name: 'Gmail.Other@1.2.0' },
      [['/toolkit/version', 'Must be a version of the form x.y.z, got 3']],
    ],
  ])('with %j reports problems with paths', (change, problems) => {
    const result = openToolCalling.decode({ ...DEFINITION, ...change }, {})
    expect(result.ok ? [] : result.problems.map(({ path, message }) => [path, message])).toEqual(problems)
  })

  it.each<[JsonObject, { output: unknown; metadata: object; paths: string[] }]>([
    [{ available_modes: ['value', 'error'] }, { output: {}, metadata: {}, paths: ['/input', '/output'] }],
    [
      { available_modes: ['value'] },
      { output: {}, metadata: { available_modes: ['value'] }, paths: ['/input', '/output'] },
    ],
    [
      { available_modes: ['value', 'value', 'error'] },
      { output: {}, metadata: { available_modes: ['value', 'value', 'error'] }, paths: ['/input', '/output'] },
    ],
    [
      { available_modes: ['error', 'null'], description: 'D' },
      { output: null, metadata: { output_description: 'D' }, paths: ['/input'] },
    ],
    [{ available_modes: ['error'] }, { output: null, metadata: {}, paths: ['/input'] }],
    [
      { available_modes: ['null'], description: 'D' },
      { output: null, metadata: { available_modes: ['null'], output_description: 'D' }, paths: ['/input'] },
    ],
    [
      { available_modes: ['artifact', 'error'], description: 'D', value_schema: { val_type: 'string' } },
      {
        output: { description: 'D' },
        metadata: { available_modes: ['artifact', 'error'] },
        paths: ['/input', '/output'],
      },
    ],
    [
      { available_modes: ['value', 'error', 'requires_authorization'] },
      { output: {}, metadata: {}, paths: ['/input', '/output'] },
    ],
    [
      { available_modes: ['value', 'null', 'error'], value_schema: { val_type: 'string', enum: ['a'] } },
      { output: { type: ['string', 'null'], enum: ['a', null] }, metadata: {}, paths: ['/input', '/output'] },
    ],
    [
      { available_modes: ['value', 'null', 'error'], description: 'D', value_schema: { val_type: 'json' } },
      { output: { description: 'D' }, metadata: {}, paths: ['/input', '/output'] },
    ],
    [{ available_modes: ['value', 'null', 'error'] }, { output: {}, metadata: {}, paths: ['/input', '/output'] }],
  ])('keeps the output %j as a whole', (output, wanted) => {
    const result = openToolCalling.decode({ ...DEFINITION, output }, {})
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    const [definition] = result.value.definitions
    const metadata = { toolkit_description: 'Mail', non_inferrable_parameters: ['token'], ...wanted.metadata }
    const paths = result.value.schemas.map(({ path }) => path)
    expect({ output: definition?.output, metadata: definition?.metadata, paths }).toEqual({ ...wanted, metadata })
    expect(result.value.schemas[0]?.schema).toBe(definition?.input)
    expect(result.value.warnings).toEqual([])
  })

  it('adds nothing for absent optional fields', () => {
    const least = {
      name: 'A',
      fully_qualified_name: 'anything at all',
      toolkit: { name: 'B', version: '1.0.0' },
      input: { parameters: [] },
      output: { available_modes: ['value', 'error'] },
    }
    expect(decoded(least)).toEqual({
      toolkit: 'B',
      tool: 'A',
      version: '1.0.0',
      name: 'B_A',
      description: '',
      input: { type: 'object', properties: {} },
      output: {},
      requirements: { authorization: [], secrets: [], user_id: false },
      tags: [],
    })
    const authorization = { provider_type: 'oauth2', provider_id: 'x', id: 'y' }
    expect(decoded({ ...least, requirements: { authorization } }).metadata).toEqual({ provider: authorization })
  })

  it('recognizes a definition by its full name, or by its parameters', () => {
    expect(openToolCalling.recognizes({ fully_qualified_name: 1 })).toBe(true)
    expect(openToolCalling.recognizes({ input: { parameters: [] } })).toBe(true)
    expect(openToolCalling.recognizes({ id: 'A', toolkit: {}, input: [] })).toBe(true)
    for (const other of [null, [], {}, { input: [] }, { input: { parameters: {} } }]) {
      expect(openToolCalling.recognizes(other)).toBe(false)
    }
    expect([openToolCalling.dialect, openToolCalling.references]).toEqual(['open-tool-calling', 'none'])
  })
})
