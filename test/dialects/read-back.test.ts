import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codecs } from '../../src/compose/dialects.ts'
import { judgeSchemas } from '../../src/core/publish/judge.ts'
import { recordOf } from '../../src/core/publish/record.ts'
import { expandSchema } from '../../src/core/schema/expand.ts'
import { checkSchema } from '../../src/core/schema/publishable.ts'
import { madeName } from '../../src/core/tool/made-name.ts'
import { mapSubschemas } from '../../src/core/schema/subschemas.ts'
import type { Codec, Loss } from '../../src/core/tool/codec.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/tool/json.ts'
import { type Definition, derivedSecurityLevel, type ToolRecord } from '../../src/core/tool/tool.ts'
import { encodeFlat } from '../../src/dialects/oxp/encode.ts'
import { oxp } from '../../src/dialects/oxp/definition.ts'
import { build } from '../fixtures/generated/build.ts'
import { read } from '../importers/openapi/make.ts'
import { hasShared, readShared, SKIPPED } from '../shared.ts'

/**
 * What a dialect writes of any tool, its own reader takes, and gives the same tool again up to the losses it named. Two
 * schemas are the same that say the same with and without references, and with an object or a flag in place of each other.
 */

const require = createRequire(import.meta.url)
/** Of how many operations of a large API one is looked at. */
const SHARE = 12

const WRITERS: readonly (Codec & { readonly called: string })[] = [
  ...codecs.map((codec) => ({ ...codec, called: codec.dialect })),
  { ...oxp, encode: encodeFlat, called: 'oxp-flat' },
]

const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

/** What a dialect makes of a record, and its reader of that: every fault, in words. */
function faults(record: ToolRecord, writer: Codec): readonly string[] {
  const { document: written, losses } = writer.encode(record)
  const document: Json = JSON.parse(JSON.stringify(written))
  const { toolkit, version } = record
  const decoded = writer.decode(
    document,
    writer.dialect === 'plugin' || writer.dialect === 'mcp' ? { toolkit, version } : {},
  )
  if (!decoded.ok) return decoded.problems.map(({ path, message }) => `${path}: ${message}`)
  const { definitions, schemas } = decoded.value
  const refused = judgeSchemas(schemas, writer.references, '').map(({ path, message }) => `${path}: ${message}`)
  if (refused.length > 0) return refused
  // A published document may hold further tools
  const isOwn = record.source.dialect === writer.dialect
  const found = isOwn ? definitions.find(({ tool }) => tool === record.tool) : definitions[0]
  if (!found || (!isOwn && definitions.length > 1)) return [`gives ${definitions.length} tools`]
  return FIELDS.filter((field) => !isLost(field, losses)).flatMap((field) => {
    const [before, after] = [record, found].map((each) => canonicalize(meant(field, each)) ?? '')
    return before === after ? [] : [`${field} was ${before?.slice(0, 500)}, is ${after?.slice(0, 500)}`]
  })
}

const FIELDS = [
  'toolkit',
  'tool',
  'version',
  'name',
  'title',
  'description',
  'input',
  'output',
  'requirements',
  'securityLevel',
  'annotations',
  'icons',
  '_meta',
  'metadata',
  'examples',
  'tags',
] as const satisfies readonly (keyof Definition)[]

function isLost(field: string, losses: readonly Loss[]): boolean {
  const isNamed = (name: string) => losses.some(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))
  // The level of a tool that requires less than it did is lower, and a name is made of what it is called
  if (field === 'securityLevel') return isNamed(field) || isNamed('requirements')
  return isNamed(field)
}

function meant(field: (typeof FIELDS)[number], definition: Definition): unknown {
  switch (field) {
    case 'input': {
      const { schema } = expandSchema(definition.input)
      return said({ type: 'object', ...Object(schema) })
    }
    case 'output':
      return definition.output === null ? null : said(expandSchema(definition.output).schema)
    case 'securityLevel':
      return definition.securityLevel ?? derivedSecurityLevel(definition.requirements)
    case 'metadata': {
      // A dialect that has tags, or modes of output, has them there, whatever else says them
      const { tags: _, available_modes: __, ...rest } = definition.metadata ?? {}
      return rest
    }
    default:
      return definition[field] ?? null
  }
}

function said(schema: unknown): unknown {
  if (schema === false) return { not: {} }
  if (!isObject(schema)) return {}
  const { properties, required, ...rest } = mapSubschemas(schema, said)
  const isIdle = (value: unknown) => value === undefined || Object.keys(Object(value)).length === 0
  return { ...rest, ...(isIdle(properties) ? {} : { properties }), ...(isIdle(required) ? {} : { required }) }
}

function expectReadBack(records: readonly ToolRecord[], writer: Codec) {
  const faulty = records.flatMap((record) => faults(record, writer).map((fault) => `${record.id} ${fault}`))
  expect(faulty.slice(0, 10)).toEqual([])
}

describe.each(WRITERS)('$called', (writer) => {
  it('is read back, of the tools of the bundle', () => {
    const records = build.tools.map(({ record }) => record)
    expect(records.length).toBeGreaterThan(10)
    expectReadBack(records, writer)
  })

  it.each([
    [
      'rfc-definitions.ndjson',
      (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    ['oxp-definitions.json', (text: string) => JSON.parse(text).items],
  ] as const)(
    `is read back, of the tools of %s${hasShared('catalogues') ? '' : ` (${SKIPPED})`}`,
    async (file, parse) => {
      if (!hasShared(`catalogues/${file}`)) return
      const documents: Json[] = parse(readShared(`catalogues/${file}`))
      expect(documents.length).toBeGreaterThan(20)
      expectReadBack(await recordsOf(documents, {}), writer)
    },
  )

  it('is read back, of operations of the GitHub API', async () => {
    const records = await github()
    expect(records.length).toBeGreaterThan(50)
    expectReadBack(records, writer)
  }, 120_000)

  it(
    'is read back, of thousands of tools that were never written in it',
    () => expectReadBack(tools(), writer),
    120_000,
  )
})

async function recordsOf(documents: readonly Json[], given: object): Promise<readonly ToolRecord[]> {
  const records = documents.map(async (document) => {
    const codec = codecs.find((each) => each.recognises(document))
    const decoded = codec?.decode(document, given)
    if (!codec || !decoded?.ok) throw new Error(`Cannot decode ${JSON.stringify(decoded).slice(0, 500)}`)
    const { dialect } = codec
    return Promise.all(
      decoded.value.definitions.map((definition) => recordOf({ definition, dialect, document }, sha256)),
    )
  })
  return (await Promise.all(records)).flat()
}

const NAMES = ['Node', 'A', 'b c', 'd/e', 'f~g']
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', 'ünï', 'a'))
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 1 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
  .map((value): Json => JSON.parse(JSON.stringify(value)))
/** What recursion may come through: a part of the value. */
const reference = fc.record(
  {
    $ref: fc.constantFrom('#', '#anchored', ...NAMES.map((name) => `#/$defs/${encodeURIComponent(escaped(name))}`)),
    description: text,
    minLength: fc.constant(1),
  },
  { requiredKeys: ['$ref'] },
)
const { schema } = fc.letrec<{ schema: Json; part: Json }>((tie) => {
  const few = fc.array(tie('schema'), { minLength: 1, maxLength: 2 })
  const named = fc.dictionary(fc.constantFrom('a', 'b', 'c d', 'type', '$ref'), tie('part'), { maxKeys: 3 })
  return {
    part: fc.oneof({ weight: 1, arbitrary: reference }, { weight: 2, arbitrary: tie('schema') }),
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null'), description: text }),
      fc.record({ enum: fc.array(fc.oneof(text, json), { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: json, default: json, 'x-unknown': json }),
      fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^a', '[0-9]+'), format: fc.constant('uri') }),
      fc.record({
        type: fc.constantFrom(['string', 'null'], ['object', 'array'], ['integer', 'null']),
        minimum: fc.nat(),
      }),
      fc.record({ type: fc.constant('array'), items: tie('part'), uniqueItems: fc.boolean() }),
      fc.record({
        type: fc.constant('object'),
        properties: named,
        required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c d'), { maxLength: 2 }),
        additionalProperties: tie('part'),
      }),
      fc.record({ allOf: few, description: text }),
      fc.record({ anyOf: few, title: text }),
      fc.record({ not: tie('schema'), prefixItems: few }),
    ),
  }
})

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A root with definitions, of which some are recursive; or one without. */
const document = fc
  .record({
    root: schema,
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c d'), fc.oneof(schema, reference)),
    refers: fc.boolean(),
    definitions: fc.tuple(...NAMES.map(() => schema)),
  })
  .map(({ root, properties, refers, definitions }): JsonObject => {
    const $defs = Object.fromEntries(NAMES.map((name, index) => [name, definitions[index] ?? true]))
    const whole = {
      properties,
      ...Object(root),
      $defs: { ...$defs, anchored: { $anchor: 'anchored', type: 'string' } },
    }
    return refers ? whole : Object(withoutReferences(whole))
  })
const isPublishable = (each: JsonObject) => checkSchema(each, { references: 'local' }).length === 0
const input = document.map((each): JsonObject => ({ ...each, type: 'object' })).filter(isPublishable)
const output = fc.oneof(
  fc.constantFrom(null, true, false, {}, { type: 'object' }, { type: 'string' }),
  document.filter(isPublishable),
)

function withoutReferences(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { $ref: _, $defs: __, ...rest } = mapSubschemas(schema, withoutReferences)
  return rest
}

const part = fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/)
const requirement = fc.constantFrom('google', 'git.hub', 'a-b', 'KEY')
const tool: fc.Arbitrary<ToolRecord> = fc
  .record({
    definition: fc.record(
      {
        toolkit: part,
        tool: part,
        version: fc.constantFrom('1.0.0', '0.1.2', '10.20.30'),
        name: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
        title: text,
        description: text,
        input,
        output,
        requirements: fc.record({
          authorization: fc.uniqueArray(
            fc.record(
              { id: requirement, oauth2: fc.record({ scopes: fc.array(text, { maxLength: 2 }) }) },
              { requiredKeys: ['id'] },
            ),
            { maxLength: 2, selector: ({ id }) => id },
          ),
          secrets: fc.uniqueArray(fc.record({ id: requirement }), { maxLength: 2, selector: ({ id }) => id }),
          user_id: fc.boolean(),
        }),
        securityLevel: fc.nat(10),
        annotations: fc.record({ title: text, readOnlyHint: fc.boolean() }, { requiredKeys: [] }),
        icons: fc.array(fc.record({ src: fc.constant('https://x.example/i.png') }), { maxLength: 1 }),
        _meta: fc.dictionary(part, json, { maxKeys: 2 }),
        metadata: fc.dictionary(part, json, { maxKeys: 2 }),
        examples: json,
        tags: fc.array(part, { maxLength: 2 }),
      },
      {
        requiredKeys: ['toolkit', 'tool', 'version', 'name', 'description', 'input', 'output', 'requirements', 'tags'],
      },
    ),
  })
  .map(({ definition }): ToolRecord => {
    const { toolkit, tool: own, version, requirements } = definition
    const whole = { securityLevel: derivedSecurityLevel(requirements), ...definition } as Definition
    const id = `${toolkit}.${own}@${version}`
    return { ...whole, id, digest: id, source: { dialect: 'none', document: {} } } as ToolRecord
  })

const GITHUB = join(dirname(require.resolve('@octokit/openapi/package.json')), 'generated/api.github.com.json')
let imported: Promise<readonly ToolRecord[]> | undefined

/** Some of the operations, made into tools once, under names of the characters that names now have. */
function github(): Promise<readonly ToolRecord[]> {
  let asked = 0
  const wants = () => asked++ % SHARE === 0
  return (imported ??= read(JSON.parse(readFileSync(GITHUB, 'utf8')), { wants }).then(({ tools = [] }) =>
    Promise.all(
      tools.map(({ definition, implementation, document, dialect }) =>
        recordOf(
          {
            definition: { ...definition, tool: madeName(definition.tool), version: '1.0.0' },
            implementation,
            document,
            dialect,
          },
          sha256,
        ),
      ),
    ),
  ))
}

let generated: readonly ToolRecord[] | undefined

/** Made once, for every dialect. */
function tools(): readonly ToolRecord[] {
  return (generated ??= fc.sample(tool, { numRuns: 2_000, seed: 5 }))
}
