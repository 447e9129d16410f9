import fc from 'fast-check'
import { checkSchema } from '../../src/core/schema/publishable.ts'
import { mapSubschemas } from '../../src/core/schema/subschemas.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/tool/json.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from '../../src/core/tool/tool.ts'

const NAMES = ['Node', 'A', 'b c', 'd/e', 'f~g']
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', 'ünï', 'a'))
const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 1 })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
  .map((value): Json => JSON.parse(JSON.stringify(value)))
/** A reference, which may be recursive because it applies to a part of the value. */
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

const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const requirement = fc.constantFrom('google', 'git.hub', 'a-b', 'KEY')
/** Any tool that may be published, of no dialect. */
export const anyTool: fc.Arbitrary<ToolRecord> = fc
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
    const whole = { securityLevel: deriveSecurityLevel(requirements), ...definition } as Definition
    const id = `${toolkit}.${own}@${version}`
    return { ...whole, id, digest: id, source: { dialect: 'none', document: {} } } as ToolRecord
  })
