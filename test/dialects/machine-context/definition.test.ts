import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { checkSchema } from '../../../src/core/schema/publishable.ts'
import type { Definition, ToolRecord } from '../../../src/core/tool/tool.ts'
import { machineContext } from '../../../src/dialects/machine-context/definition.ts'
import { hasShared, readShared, unlessShared } from '../../shared.ts'
import { CALCULATOR, type Draft } from './calculator.ts'
import { published, recordOf } from './record.ts'

function decoded(document: Json, given = {}) {
  const read = machineContext.decode(document, given)
  if (!read.ok) throw new Error(`Cannot decode: ${JSON.stringify(read.problems)}`)
  return read.value
}

function problemsOf(document: Json, given = {}) {
  const read = machineContext.decode(document, given)
  return read.ok ? [] : read.problems.map(({ path }) => path)
}

/** The calculator with something else in one place. */
function changed(change: (document: Draft) => void): Json {
  const document = structuredClone(CALCULATOR)
  change(document)
  return document
}

describe('the example of the specification', () => {
  it('becomes two tools of one toolkit', () => {
    const { definitions, warnings } = decoded(CALCULATOR)
    expect(warnings).toEqual([])
    expect(definitions).toHaveLength(2)
    expect(definitions[0]).toEqual({
      toolkit: 'calculator',
      tool: 'add',
      version: '1.0.0',
      name: 'calculator_add',
      description: 'Adds two numbers',
      input: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'First number' },
          b: { type: 'number', description: 'Second number' },
        },
        required: ['a', 'b'],
      },
      output: {
        type: 'object',
        properties: { result: { type: 'number' } },
        description: 'The sum of the two numbers',
      },
      requirements: { authorization: [], secrets: [], user_id: false },
      securityLevel: 1,
      metadata: CALCULATOR.metadata,
      tags: ['math', 'calculation'],
      _meta: {
        'dev.switchboard/tool': {
          name: 'Calculator Tool',
          description: 'Performs basic arithmetic operations',
          capabilities: ['add', 'subtract'],
        },
      },
    })
    expect(definitions[1]).toMatchObject({ tool: 'subtract', name: 'calculator_subtract' })
  })

  it('is encoded verbatim from each of them', () => {
    for (const definition of decoded(CALCULATOR).definitions) {
      const { document, losses } = machineContext.encode(published(definition, 'machine-context', CALCULATOR))
      expect(document).toBe(CALCULATOR)
      expect(losses).toEqual([])
    }
  })

  it('is recognized, and other documents are not', () => {
    expect(machineContext.recognizes(CALCULATOR)).toBe(true)
    for (const other of [null, [], 'x', {}, { input_schema: {} }, { tools: [] }, { name: 'x', inputSchema: {} }]) {
      expect(machineContext.recognizes(other)).toBe(false)
    }
  })

  it.skipIf(!hasShared('seeds'))(`is the one in the specification${unlessShared('seeds')}`, () => {
    const text = readShared('seeds/machine-context-tool-definition.txt')
    const [, example = ''] = text.split('## Example Tool Definition')
    expect(JSON.parse(/```json\n([\s\S]*?)```/.exec(example)?.[1] ?? '')).toEqual(CALCULATOR)
  })
})

describe('reading', () => {
  it('accepts a minimal document', () => {
    const document = {
      id: 'x',
      name: 'x',
      version: '0.0.1',
      description: 'Y',
      capabilities: [{ name: 'y', description: 'Y' }],
    }
    expect(decoded(document).definitions).toEqual([
      {
        toolkit: 'x',
        tool: 'y',
        version: '0.0.1',
        name: 'x_y',
        description: 'Y',
        input: { type: 'object' },
        output: {},
        requirements: { authorization: [], secrets: [], user_id: false },
        securityLevel: 0,
        tags: [],
      },
    ])
  })

  it('reads each type of parameter, and fields of parameters beyond the specification', () => {
    const parameter = (type: string, more = {}) => ({
      name: type,
      description: `A ${type}`,
      type,
      required: false,
      ...more,
    })
    const document = changed((tool) => {
      tool.capabilities[0].parameters = [
        parameter('string', { enum: ['a'], default: 'a', format: 'email' }),
        parameter('number'),
        parameter('boolean', { default: false }),
        parameter('object', { properties: { x: { type: 'string' } } }),
        parameter('array', { items: { type: 'integer' } }),
        parameter('any', { required: true, default: null }),
      ]
    })
    expect(decoded(document).definitions[0]?.input).toEqual({
      type: 'object',
      properties: {
        string: { type: 'string', description: 'A string', enum: ['a'], default: 'a', format: 'email' },
        number: { type: 'number', description: 'A number' },
        boolean: { type: 'boolean', description: 'A boolean', default: false },
        object: { type: 'object', description: 'A object', properties: { x: { type: 'string' } } },
        array: { type: 'array', description: 'A array', items: { type: 'integer' } },
        any: { description: 'A any', default: null },
      },
      required: ['any'],
    })
  })

  it('warns about fields that are missing or cannot be used', () => {
    const document = changed((tool) => {
      delete tool.capabilities[0].parameters[0].required
      tool.metadata.tags = ['ok', 1]
    })
    const { warnings, definitions } = decoded(document)
    expect(warnings.map(({ path }) => path)).toEqual(['/metadata/tags', '/capabilities/0/parameters/0/required'])
    expect(definitions[0]).toMatchObject({ tags: [], input: { required: ['b'] } })
  })

  it('keeps the description of a return value even if the schema has another one', () => {
    const document = changed((tool) => (tool.capabilities[0].return.schema.description = 'Other'))
    const [add, subtract] = decoded(document).definitions
    expect(add?.output).toMatchObject({ description: 'Other' })
    expect(add?._meta).toMatchObject({ 'dev.switchboard/tool': { return: 'The sum of the two numbers' } })
    expect(subtract?._meta).not.toHaveProperty(['dev.switchboard/tool', 'return'])
  })

  it('truncates names that are too long, and keeps them distinct', () => {
    const document = changed((tool) => {
      tool.id = 'i'.repeat(64)
      tool.capabilities[0].name = `${'c'.repeat(63)}1`
      tool.capabilities[1].name = `${'c'.repeat(63)}2`
    })
    const names = decoded(document).definitions.map(({ name }) => name)
    for (const name of names) expect(name).toMatch(/^i{55}_[0-9a-f]{8}$/)
    expect(new Set(names).size).toBe(2)
    expect(decoded(document).definitions.map(({ name }) => name)).toEqual(names)
  })

  it('keeps everything in the document in its definitions, so that another document has another digest', () => {
    const changes: ((tool: Draft) => void)[] = [
      (tool) => (tool.name = 'Other'),
      (tool) => (tool.description = 'Other'),
      (tool) => (tool.securityLevel = 2),
      (tool) => (tool.metadata.category = 'Other'),
      (tool) => tool.capabilities.push({ name: 'more', description: 'More' }),
      (tool) => (tool.capabilities[0].description = 'Other'),
      (tool) => (tool.capabilities[0].parameters[0].description = 'Other'),
      (tool) => (tool.capabilities[0].return.description = 'Other'),
    ]
    for (const change of changes) {
      expect(decoded(changed(change)).definitions[0]).not.toEqual(decoded(CALCULATOR).definitions[0])
    }
  })
})

describe('a Machine Context document', () => {
  const named = (id: string, ...names: string[]) => ({
    ...CALCULATOR,
    id,
    capabilities: names.map((name) => ({ name, description: 'Does it' })),
  })

  it.each([
    ['unique-tool-id', 'unique_tool_id'],
    ['com.example:tool', 'com_example_tool'],
    ['with space', 'with_space'],
    ['ünïcode', 'unicode'],
  ])('has a toolkit named after its id, with a warning: %s', (id, toolkit) => {
    const { definitions, itself, warnings } = decoded(named(id, 'do'))
    expect(definitions).toMatchObject([{ toolkit, tool: 'do', name: `${toolkit}_do` }])
    expect(itself).toEqual({ id, version: '1.0.0' })
    expect(warnings).toMatchObject([{ path: '/id', message: expect.stringContaining(`in '${toolkit}'`) }])
  })

  it('can have an id of any allowed length, and its toolkit has 64 characters', () => {
    const [definition] = decoded(named('a'.repeat(160), 'do')).definitions
    expect(definition?.toolkit).toMatch(/^a{55}_[0-9a-f]{8}$/)
  })

  it('with the id of a toolkit, as in lists, is read as that toolkit and cannot be published', () => {
    const { definitions, itself, unpublishable } = decoded(named('toolkit:Kit', 'do'))
    expect(definitions).toMatchObject([{ toolkit: 'Kit', tool: 'do', name: 'Kit_do' }])
    expect(itself).toEqual({ id: 'Kit', version: '1.0.0' })
    expect(unpublishable).toEqual([{ path: '/id', message: "Must not begin with 'toolkit:'" }])
  })

  it('keeps its id next to a given toolkit, and the id is then part of the digest', () => {
    const { definitions, itself, warnings } = decoded(named('my-tool', 'do'), { toolkit: 'Given' })
    expect(definitions).toMatchObject([
      { toolkit: 'Given', tool: 'do', _meta: { 'dev.switchboard/tool': { id: 'my-tool' } } },
    ])
    expect([itself, warnings]).toEqual([{ id: 'my-tool', version: '1.0.0' }, []])
  })

  it('keeps the converted names of its capabilities distinct', () => {
    const {
      definitions,
      sourceNames: called,
      warnings,
    } = decoded(named('x', 'get forecast', 'get.forecast', 'add', 'ADD'))
    expect(called).toEqual(['get forecast', 'get.forecast', 'add', 'ADD'])
    const tools = definitions.map(({ tool }) => tool)
    expect(tools).toEqual([
      expect.stringMatching(/^get_forecast/),
      expect.stringMatching(/^get_forecast/),
      'add',
      expect.stringMatching(/^ADD_[0-9a-f]{8}$/),
    ])
    expect(new Set(tools).size).toBe(4)
    expect(warnings.map(({ path }) => path)).toEqual([0, 1, 3].map((index) => `/capabilities/${index}/name`))
  })

  it('takes the given version if its own has another format', () => {
    const document = { ...named('x', 'do'), version: 'v1' }
    expect(decoded(document, { version: '1.0.0' }).itself).toEqual({ id: 'x', version: '1.0.0' })
    const read = machineContext.decode(document, {})
    expect(read).toMatchObject({
      problems: [{ path: '/version', message: "Must be a version of the form x.y.z, such as '1.0.0', got 'v1'" }],
    })
  })
})

describe('a document that breaks the specification is refused', () => {
  const cases: readonly [string, string, (tool: Draft) => void][] = [
    ['no id', '/id', (tool) => delete tool.id],
    ['no name', '/name', (tool) => delete tool.name],
    ['no version', '/version', (tool) => delete tool.version],
    ['no description', '/description', (tool) => delete tool.description],
    ['no capabilities', '/capabilities', (tool) => delete tool.capabilities],
    ['an empty list of capabilities', '/capabilities', (tool) => (tool.capabilities = [])],
    ['capabilities that are no list', '/capabilities', (tool) => (tool.capabilities = {})],
    ['an id with a line break', '/id', (tool) => (tool.id = 'a\nb')],
    ['an id that is the address of no toolkit', '/id', (tool) => (tool.id = 'toolkit:')],
    ['an empty description', '/description', (tool) => (tool.description = '')],
    [
      'an empty description of a capability',
      '/capabilities/0/description',
      (tool) => (tool.capabilities[0].description = ''),
    ],
    ['an id that is too long', '/id', (tool) => (tool.id = 'a'.repeat(161))],
    ['an empty name', '/name', (tool) => (tool.name = '')],
    ['a name that is no string', '/name', (tool) => (tool.name = 1)],
    ['a version of two numbers', '/version', (tool) => (tool.version = '1.0')],
    ['a version that is no string', '/version', (tool) => (tool.version = 1)],
    ['a description that is no string', '/description', (tool) => (tool.description = null)],
    ['a security level above 10', '/securityLevel', (tool) => (tool.securityLevel = 11)],
    ['a security level below 0', '/securityLevel', (tool) => (tool.securityLevel = -1)],
    ['half a security level', '/securityLevel', (tool) => (tool.securityLevel = 1.5)],
    ['a security level in words', '/securityLevel', (tool) => (tool.securityLevel = 'high')],
    ['metadata that is no object', '/metadata', (tool) => (tool.metadata = [])],
    ['an unknown field', '/extra', (tool) => (tool.extra = 1)],
    ['a capability that is no object', '/capabilities/1', (tool) => (tool.capabilities[1] = 'subtract')],
    ['a capability without a name', '/capabilities/1/name', (tool) => delete tool.capabilities[1].name],
    ['a capability with a tab', '/capabilities/1/name', (tool) => (tool.capabilities[1].name = 'a\tb')],
    ['two capabilities of one name', '/capabilities/1/name', (tool) => (tool.capabilities[1].name = 'add')],
    [
      'a capability without a description',
      '/capabilities/0/description',
      (tool) => delete tool.capabilities[0].description,
    ],
    ['an unknown field of a capability', '/capabilities/0/returns', (tool) => (tool.capabilities[0].returns = {})],
    ['parameters that are no list', '/capabilities/0/parameters', (tool) => (tool.capabilities[0].parameters = {})],
    [
      'a parameter that is no object',
      '/capabilities/0/parameters/1',
      (tool) => (tool.capabilities[0].parameters[1] = 'b'),
    ],
    [
      'a parameter without a name',
      '/capabilities/0/parameters/1/name',
      (tool) => delete tool.capabilities[0].parameters[1].name,
    ],
    [
      'two parameters of one name',
      '/capabilities/0/parameters/1/name',
      (tool) => (tool.capabilities[0].parameters[1].name = 'a'),
    ],
    [
      'a parameter without a description',
      '/capabilities/0/parameters/0/description',
      (tool) => delete tool.capabilities[0].parameters[0].description,
    ],
    [
      'a parameter without a type',
      '/capabilities/0/parameters/0/type',
      (tool) => delete tool.capabilities[0].parameters[0].type,
    ],
    [
      'a type of JSON Schema only',
      '/capabilities/0/parameters/0/type',
      (tool) => (tool.capabilities[0].parameters[0].type = 'integer'),
    ],
    [
      'required in words',
      '/capabilities/0/parameters/0/required',
      (tool) => (tool.capabilities[0].parameters[0].required = 'yes'),
    ],
    [
      'an unknown field of a parameter',
      '/capabilities/0/parameters/0/minimum',
      (tool) => (tool.capabilities[0].parameters[0].minimum = 1),
    ],
    [
      'an enum that is no list',
      '/capabilities/0/parameters/0/enum',
      (tool) => (tool.capabilities[0].parameters[0].enum = 'a'),
    ],
    [
      'a format that is no string',
      '/capabilities/0/parameters/0/format',
      (tool) => (tool.capabilities[0].parameters[0].format = 1),
    ],
    [
      'properties that are no schemas',
      '/capabilities/0/parameters/0/properties/x',
      (tool) => (tool.capabilities[0].parameters[0].properties = { x: 1 }),
    ],
    [
      'items that are no schema',
      '/capabilities/0/parameters/0/items',
      (tool) => (tool.capabilities[0].parameters[0].items = 'string'),
    ],
    [
      'a reference in a parameter',
      '/capabilities/0/parameters/0/items/$ref',
      (tool) => (tool.capabilities[0].parameters[0].items = { $ref: '#/x' }),
    ],
    [
      'a parameter named __proto__',
      '/capabilities/0/parameters/0',
      (tool) => (tool.capabilities[0].parameters[0].name = '__proto__'),
    ],
    ['a return that is no object', '/capabilities/0/return', (tool) => (tool.capabilities[0].return = 'number')],
    [
      'an unknown field of a return',
      '/capabilities/0/return/type',
      (tool) => (tool.capabilities[0].return.type = 'number'),
    ],
    [
      'a return described by no string',
      '/capabilities/0/return/description',
      (tool) => (tool.capabilities[0].return.description = 1),
    ],
    [
      'a return schema that is no object',
      '/capabilities/0/return/schema',
      (tool) => (tool.capabilities[0].return.schema = 'number'),
    ],
  ]
  it.each(cases)('%s', (_, path, change) => {
    expect(problemsOf(changed(change))).toEqual([path])
  })

  it('with every problem at once', () => {
    const document = changed((tool) => {
      tool.id = ''
      tool.securityLevel = 20
      tool.capabilities[1].parameters[0].type = 'text'
    })
    expect(problemsOf(document)).toEqual(['/id', '/securityLevel', '/capabilities/1/parameters/0/type'])
  })

  it('if it is not an object', () => {
    for (const document of [null, 1, 'x', []]) expect(problemsOf(document)).toEqual([''])
  })

  it('if the fields given with it contradict it', () => {
    expect(problemsOf(CALCULATOR, { toolkit: 'calculator', version: '1.0.0' })).toEqual([])
    expect(problemsOf(CALCULATOR, { toolkit: 'Calculator', version: '1.0.1' })).toEqual(['/version'])
  })

  it('if it exceeds the limits of publication, at the path of the return schema', () => {
    const document = changed((tool) => (tool.capabilities[1].return.schema = { properties: { x: { type: 'text' } } }))
    const { schemas } = decoded(document)
    expect(schemas.flatMap(({ path, schema }) => checkSchema(schema, { references: 'local' }, path))).toMatchObject([
      { path: '/capabilities/1/return/schema/properties/x/type' },
    ])
  })
})

describe('writing a record of another dialect', () => {
  it('makes one tool with one capability', () => {
    const record = recordOf({
      toolkit: 'SMS',
      tool: 'Send',
      name: 'SMS_Send',
      description: 'Sends',
      input: { type: 'object', properties: { to: { type: 'string', description: 'Whom' } }, required: ['to'] },
      output: { type: 'object', description: 'A receipt' },
      securityLevel: 4,
      tags: ['phone'],
      metadata: { owner: 'us' },
    })
    expect(machineContext.encode(record)).toEqual({
      document: {
        id: 'SMS',
        name: 'SMS',
        version: '1.0.0',
        description: 'Sends',
        capabilities: [
          {
            name: 'Send',
            description: 'Sends',
            parameters: [{ name: 'to', description: 'Whom', type: 'string', required: true }],
            return: { description: 'A receipt', schema: { type: 'object', description: 'A receipt' } },
          },
        ],
        securityLevel: 4,
        metadata: { owner: 'us', tags: ['phone'] },
      },
      losses: [],
    })
  })

  const cases: readonly [string, Partial<ToolRecord>, readonly string[]][] = [
    ['a name of its own', { name: 'send' }, ['/name']],
    ['a title', { title: 'T' }, ['/title']],
    ['annotations', { annotations: { readOnlyHint: true } }, ['/annotations']],
    ['icons', { icons: [] }, ['/icons']],
    ['_meta', { _meta: {} }, ['/_meta']],
    ['examples', { examples: [] }, ['/examples']],
    [
      'requirements',
      { requirements: { authorization: [{ id: 'g' }], secrets: [{ id: 'S' }], user_id: true } },
      ['/requirements/authorization', '/requirements/secrets', '/requirements/user_id'],
    ],
    ['no output', { output: null }, ['/output']],
    ['tags in two places', { tags: ['a'], metadata: { tags: ['b'] } }, ['/metadata/tags']],
    ['tags in the metadata only', { metadata: { tags: ['b'] } }, ['/tags']],
    [
      'keywords of an input',
      { input: { type: 'object', additionalProperties: false, $defs: {} } },
      ['/input/additionalProperties', '/input/$defs'],
    ],
    ['a required name alone', { input: { type: 'object', required: ['x'] } }, ['/input/required/0']],
    [
      'keywords of a parameter',
      {
        input: {
          type: 'object',
          properties: { 'a/b': { type: 'integer', minimum: 1, description: '', items: { $ref: '#' } } },
        },
      },
      [
        '/input/properties/a~1b/minimum',
        '/input/properties/a~1b/items',
        '/input/properties/a~1b/description',
        '/input/properties/a~1b/type',
      ],
    ],
    ['several types', { input: { properties: { x: { type: ['string', 'null'] } } } }, ['/input/properties/x/type']],
    ['a forbidden property', { input: { properties: { x: false } } }, ['/input/properties/x']],
    ['a property without a name', { input: { properties: { '': {} } } }, ['/input/properties/']],
  ]
  it.each(cases)('reports what it cannot express: %s', (_, given, paths) => {
    expect(machineContext.encode(recordOf(given)).losses.map(({ path }) => path)).toEqual(paths)
  })
})

// Properties: whatever is generated reads back as it was, or as the losses say
const part = fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/)
const version = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)).map((numbers) => numbers.join('.'))
const words = fc.string({ maxLength: 12 })
const key = fc.oneof(fc.stringMatching(/^[a-z]{1,6}$/), fc.constantFrom('a/b', 'a~b', '', 'constructor', 'ü'))
const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
const noProto = (value: unknown) => !JSON.stringify(value).includes('__proto__')
const schema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json; object: JsonObject }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), tie('object'), tie('object')),
  object: fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null'),
        fc.constant(['string', 'null']),
      ),
      description: fc.oneof(words, fc.constant('')),
      default: json,
      enum: fc.array(json, { minLength: 1, maxLength: 2 }),
      format: fc.constantFrom('email', 'date'),
      minLength: fc.nat(9),
      properties: fc.dictionary(key, tie('schema'), { maxKeys: 2 }),
      items: tie('schema'),
      required: fc.uniqueArray(key, { maxLength: 2 }),
      additionalProperties: tie('schema'),
      $ref: fc.constant('#'),
    },
    { requiredKeys: [] },
  ),
})).schema
const input = fc.record(
  {
    type: fc.constant('object'),
    properties: fc.dictionary(key, schema, { maxKeys: 4 }),
    required: fc.uniqueArray(key, { maxLength: 3 }),
    additionalProperties: schema,
    description: words,
    $defs: fc.dictionary(key, schema, { maxKeys: 1 }),
  },
  { requiredKeys: [] },
)
const tags = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 })
const record = fc
  .record({
    toolkit: part,
    tool: part,
    version,
    ownName: fc.option(part, { nil: undefined }),
    description: words,
    input,
    output: fc.oneof(fc.constant(null), schema),
    securityLevel: fc.nat(10),
    tags,
    more: fc.record(
      {
        title: words,
        annotations: fc.constant({ readOnlyHint: true }),
        icons: fc.constant([{ src: 'x' }]),
        _meta: fc.constant({ x: 1 }),
        examples: json,
        metadata: fc.dictionary(fc.constantFrom('tags', 'x'), fc.oneof(json, tags), { maxKeys: 2 }),
        requirements: fc.record({
          authorization: fc.constantFrom([], [{ id: 'google', oauth2: { scopes: ['a'] } }]),
          secrets: fc.constantFrom([], [{ id: 'S' }]),
          user_id: fc.boolean(),
        }),
      },
      { requiredKeys: [] },
    ),
  })
  .filter(noProto)
  .map(({ ownName, more, ...rest }) =>
    recordOf({ ...rest, name: ownName ?? `${rest.toolkit}_${rest.tool}`, ...more } as Partial<ToolRecord>),
  )

/** Normalizes a definition, so that spellings with the same meaning are equal. */
function meaning(definition: Pick<ToolRecord, 'input' | 'output' | 'metadata' | 'tags'>): JsonObject {
  const {
    input: { required, properties, ...rest },
    output,
    metadata,
    tags: own,
    ...more
  } = definition
  // Fields that only records have
  for (const field of ['id', 'digest', 'source', 'status']) delete (more as Record<string, unknown>)[field]
  const { tags: written, ...others } = metadata ?? {}
  const schemas = Object.entries((properties ?? {}) as JsonObject).map(([name, each]) => [
    name,
    each === true ? {} : each,
  ])
  return {
    ...(more as JsonObject),
    tags: own,
    input: {
      ...rest,
      type: 'object',
      properties: Object.fromEntries(schemas),
      required: Object.fromEntries(((required ?? []) as string[]).map((name) => [name, true])),
    },
    output: output === true ? {} : output === false ? { not: {} } : output,
    metadata: { ...others, tags: written ?? own },
  }
}

/** The JSON Pointers at which two values differ. */
function differences(a: Json | undefined, b: Json | undefined, path = ''): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  const isMap = (value: unknown): value is JsonObject =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isMap(a) || !isMap(b)) return [path]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((each) => {
    const below = `${path}/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return differences(
      Object.hasOwn(a, each) ? a[each] : undefined,
      Object.hasOwn(b, each) ? b[each] : undefined,
      below,
    )
  })
}

describe('any generated record', () => {
  it('is encoded so that it can be decoded, and reports every difference as a loss', () => {
    fc.assert(
      fc.property(record, (original) => {
        const { document, losses } = machineContext.encode(original)
        const { definitions } = decoded(JSON.parse(JSON.stringify(document)))
        expect(definitions).toHaveLength(1)
        const [back] = definitions
        if (!back) return
        const lost = losses.map(({ path }) => path)
        // A name that is required and has no schema is required still
        const emptied = original.input.required as string[] | undefined
        for (const path of differences(meaning(original), meaning({ ...original, ...UNSAID, ...back }))) {
          const isNamed = lost.some(
            (each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`),
          )
          const name = path.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? ''
          const isRequiredOnly =
            path.startsWith('/input/properties/') && lost.includes(`/input/required/${emptied?.indexOf(name)}`)
          const isForbidden =
            path.startsWith('/input/required/') &&
            (lost.includes(`/input/properties${path.slice('/input/required'.length)}`) ||
              lost.some((each) => each === `/input/required/${emptied?.indexOf(name)}`))
          expect(
            isNamed || isRequiredOnly || isForbidden,
            `${path} differs, and the losses are ${lost.join(', ')}`,
          ).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is decoded unchanged in its own dialect, and encodes the same again', () => {
    fc.assert(
      fc.property(record, (original) => {
        const document: Json = JSON.parse(JSON.stringify(machineContext.encode(original).document))
        const [definition] = decoded(document).definitions
        if (!definition) throw new Error('Nothing was read')
        expect(machineContext.encode(published(definition, 'machine-context', document)).document).toBe(document)
        // Published in another dialect, the same definition makes the same document, with nothing lost
        const again = machineContext.encode(published(definition, 'other', {}))
        expect(again.losses).toEqual([])
        expect(JSON.parse(JSON.stringify(again.document))).toEqual(document)
      }),
      { numRuns: 500 },
    )
  })
})

const UNSAID = {
  title: undefined,
  annotations: undefined,
  icons: undefined,
  _meta: undefined,
  examples: undefined,
  metadata: undefined,
} as unknown as Partial<ToolRecord>

describe('each field of a document', () => {
  const least = {
    id: 'x',
    name: 'x',
    version: '0.0.1',
    description: 'Y',
    capabilities: [{ name: 'y', description: 'Y' }],
  }
  const leastDefinition = {
    securityLevel: 0,
    tags: [],
    tool: 'y',
    name: 'x_y',
    description: 'Y',
    input: { type: 'object' },
    output: {},
  }
  const returning = (value: Json) => ({ capabilities: [{ name: 'y', description: 'Y', return: value }] })
  const own = (fields: JsonObject) => ({ _meta: { 'dev.switchboard/tool': fields } })
  const long = 'x'.repeat(65)
  const noTags = { path: '/metadata/tags', message: 'Gives no tags: wanted up to 32 texts of 1 to 64 characters' }

  it.each<[JsonObject, ...JsonObject[]]>([
    [{}, {}],
    [{ name: 'X' }, own({ name: 'X', description: 'Y', capabilities: ['y'] })],
    [{ description: 'Other' }, own({ name: 'x', description: 'Other', capabilities: ['y'] })],
    [
      { capabilities: [...least.capabilities, { name: 'z', description: 'Y' }] },
      own({ name: 'x', description: 'Y', capabilities: ['y', 'z'] }),
      { tool: 'z', name: 'x_z', ...own({ name: 'x', description: 'Y', capabilities: ['y', 'z'] }) },
    ],
    [{ metadata: {} }, { metadata: {} }],
    [
      { metadata: { tags: ['a'] }, securityLevel: 10 },
      { metadata: { tags: ['a'] }, tags: ['a'], securityLevel: 10 },
    ],
    [{ metadata: { tags: [] } }, { metadata: { tags: [] } }],
    [{ metadata: { tags: [long.slice(1)] } }, { metadata: { tags: [long.slice(1)] }, tags: [long.slice(1)] }],
    [returning({}), {}],
    [returning({ description: 'R' }), { output: { description: 'R' } }],
    [returning({ schema: { type: 'string' } }), { output: { type: 'string' } }],
    [returning({ description: 'R', schema: { type: 'string' } }), { output: { type: 'string', description: 'R' } }],
    [returning({ description: 'R', schema: { description: 'R' } }), { output: { description: 'R' } }],
    [
      returning({ description: 'R', schema: { description: 'S' } }),
      { output: { description: 'S' }, ...own({ return: 'R' }) },
    ],
    [
      { name: 'X', ...returning({ description: 'R', schema: { description: 'S' } }) },
      { output: { description: 'S' }, ...own({ name: 'X', description: 'Y', capabilities: ['y'], return: 'R' }) },
    ],
  ])('in %j is read with its meaning', (fields, ...wanted) => {
    const { definitions, warnings } = decoded({ ...least, ...fields })
    expect(definitions.map(readFields)).toEqual(wanted.map((each) => ({ ...leastDefinition, ...each })))
    expect(warnings).toEqual([])
  })

  it.each([[['']], [[long]]])('in the tags %j is read as no tags', (tags) => {
    const { definitions, warnings } = decoded({ ...least, metadata: { tags } })
    expect(definitions.map(readFields)).toEqual([{ ...leastDefinition, metadata: { tags } }])
    expect(warnings).toEqual([noTags])
  })

  function readFields({ tool, name, description, input, output, securityLevel, metadata, tags, _meta }: Definition) {
    return { tool, name, description, input, output, securityLevel, metadata, tags, _meta }
  }

  it('in more than 32 tags is read as no tags', () => {
    const tagged = (count: number) =>
      decoded(changed((tool) => (tool.metadata.tags = Array.from({ length: count }, (_, index) => `t${index}`))))
    expect(tagged(32).definitions[0]?.tags).toHaveLength(32)
    expect(tagged(33).definitions[0]?.tags).toEqual([])
    expect(tagged(33).warnings).toEqual([noTags])
  })
})
