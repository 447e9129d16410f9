import { applyGuards, type Guard, guardFields } from '../access/guard.ts'
import type { DecodeOptions } from '../tool/codec.ts'
import { namePart, tags, version } from '../tool/definition-fields.ts'
import { isJson, isJsonObject, isJsonArray, isObject, type Json, type JsonObject } from '../tool/json.ts'
import { anyJson, map, typeGuard, nullish, object, optional, type Reader } from '../tool/json-reader.ts'
import { toJsonSchema, withSchema, addTypeProblem, addProblem } from '../tool/json-reader.ts'
import { encodePointerStep, type Problem } from '../tool/problem.ts'
import type { Definition, Implementation } from '../tool/tool.ts'
import { checkStorable, MAX_TOOLS } from './check-definition.ts'

const MAX_BATCH = 1_000

export interface WrapperFields {
  readonly decodeOptions: DecodeOptions
  readonly implementation?: Implementation | undefined
  readonly implementations?: Readonly<Record<string, Implementation>> | undefined
  readonly tags?: readonly string[] | undefined
  readonly guard?: Guard
}

const IMPLEMENTATION = typeGuard(
  "an object with a 'kind'",
  (value): value is Implementation => isObject(value) && typeof value.kind === 'string',
  () => ({ type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] }),
)

const FIELDS = {
  definition: anyJson,
  implementation: nullish(IMPLEMENTATION),
  implementations: nullish(map(IMPLEMENTATION, MAX_TOOLS)),
  toolkit: optional(namePart),
  version: optional(version),
  tags: optional(tags),
  ...guardFields,
}

const BARE_DEFINITION_SCHEMA = {
  type: 'object',
  description: 'A definition in any dialect',
  not: { required: ['definition'] },
}
const DEFINITION_SCHEMA = () => ({
  anyOf: [{ ...toJsonSchema(object(FIELDS)), required: ['definition'] }, BARE_DEFINITION_SCHEMA],
})

export const DEFINITION_BODY = typeGuard('a definition', isJson, DEFINITION_SCHEMA)

export const PUBLICATION_BODY: Reader<Json> = withSchema(
  () => ({ anyOf: [...DEFINITION_SCHEMA().anyOf, { type: 'array', items: DEFINITION_SCHEMA(), maxItems: MAX_BATCH }] }),
  (body, report) => {
    if (isJsonArray(body) && body.length > MAX_BATCH)
      return addProblem(report, `A batch holds at most ${MAX_BATCH} definitions, got ${body.length}`)
    return isJson(body) ? body : addTypeProblem(report, 'a definition', body)
  },
)

/** Parses the fields outside a definition. `prefix` is the path of the definition in the body. */
export function unwrapBody(body: Json) {
  const problems: Problem[] = []
  if (!isJsonObject(body) || !('definition' in body)) {
    const wrapper: WrapperFields = { decodeOptions: {} }
    return { prefix: '', document: body, wrapper, problems }
  }
  const wrapper = parseWrapper(body, problems)
  return { prefix: '/definition', document: body.definition ?? null, wrapper, problems }
}

/** Applies the tags and the guard that were sent with a definition. */
export function applyWrapper(definition: Definition, { tags, guard }: WrapperFields): Definition {
  const taggedDefinition = { ...definition, tags: tags ?? definition.tags }
  return guard ? applyGuards(taggedDefinition, [guard]) : taggedDefinition
}

function parseWrapper(body: JsonObject, problems: Problem[]): WrapperFields {
  let fields: WrapperFields = { decodeOptions: {} }
  const wrapper = object(FIELDS, {
    // A rule gets the valid fields even if others are invalid, so that the definition is checked with them
    rule({ toolkit, version, implementation, implementations, tags, security_level, approval }) {
      const decodeOptions = {
        ...(toolkit === undefined ? {} : { toolkit }),
        ...(version === undefined ? {} : { version }),
      }
      fields = {
        decodeOptions,
        implementation,
        implementations,
        tags,
        ...(security_level === undefined && approval === undefined ? {} : { guard: { security_level, approval } }),
      }
    },
  })
  wrapper(body, { problems, warnings: [], quotes: true })
  problems.push(
    ...checkStorable(body.implementation ?? null, 'an implementation', '/implementation'),
    ...(isJsonObject(body.implementations) ? Object.entries(body.implementations) : []).flatMap(
      ([tool, implementation]) =>
        checkStorable(implementation ?? null, 'an implementation', `/implementations${encodePointerStep(tool)}`),
    ),
    ...checkStorable(body.tags ?? null, 'an implementation', '/tags'),
  )
  return fields
}
