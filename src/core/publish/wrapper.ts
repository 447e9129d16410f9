import { type Guard, guardFields } from '../access/guard.ts'
import { createBudget } from '../tool/budget.ts'
import type { Given } from '../tool/codec.ts'
import { namePart, tags, version } from '../tool/definition-fields.ts'
import { isJson, isJsonObject, isList, isObject, type Json, type JsonObject } from '../tool/json.ts'
import {
  anything,
  map,
  nullish,
  object,
  optional,
  parsed,
  type Reader,
  schemaOf,
  stating,
  unfit,
  wrong,
} from '../tool/json-reader.ts'
import { pointerStep, type Problem } from '../tool/problem.ts'
import type { Implementation } from '../tool/tool.ts'
import { judgeText, MAX_TOOLS } from './judge.ts'

/** The most definitions of one request. */
const MAX_BATCH = 1_000

/** What a publisher says beside a document. */
export interface Beside {
  readonly given: Given
  /** Of every tool that has none of its own. */
  readonly implementation?: Implementation | undefined
  /** By what the document calls the tool. */
  readonly implementations?: Readonly<Record<string, Implementation>> | undefined
  readonly tags?: readonly string[] | undefined
  /** Of every tool. */
  readonly guard?: Guard
}

const IMPLEMENTATION = parsed(
  "an object with a 'kind'",
  (value) => (isImplementation(value) ? value : undefined),
  () => ({ type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] }),
)

const FIELDS = {
  definition: anything,
  implementation: nullish(IMPLEMENTATION),
  implementations: nullish(map(IMPLEMENTATION, MAX_TOOLS)),
  toolkit: optional(namePart),
  version: optional(version),
  tags: optional(tags),
  ...guardFields,
}

/** A definition in any dialect, by itself. */
const BARE = { type: 'object', description: 'A definition in any dialect', not: { required: ['definition'] } }
const ONE = () => ({ anyOf: [{ ...schemaOf(object(FIELDS)), required: ['definition'] }, BARE] })

/** Reads a definition, by itself or with what is said beside it, or many. Each is judged where it is published, with its own report. */
export const PUBLICATION: Reader<Json> = stating(
  () => ({ anyOf: [...ONE().anyOf, { type: 'array', items: ONE(), maxItems: MAX_BATCH }] }),
  (body, report) => {
    if (isList(body) && body.length > MAX_BATCH) {
      return wrong(report, `A batch holds at most ${MAX_BATCH} definitions, got ${body.length}`)
    }
    return isJson(body) ? body : unfit(report, 'a definition', body)
  },
)

/** Reads what is converted: the same but for batches. Only the definition, its toolkit and its version matter. */
export const CONVERTED: Reader<Json> = stating(
  () => ({
    anyOf: [{ ...schemaOf(object(FIELDS)), required: ['definition'], additionalProperties: true }, BARE],
  }),
  (body, report) => (isJson(body) ? body : unfit(report, 'a definition', body)),
)

/**
 * Reads `{definition, implementation?, implementations?, toolkit?, version?, tags?, security_level?, approval?}` but for the definition.
 * Adds what is wrong to `problems`.
 */
export function readWrapper(body: JsonObject, problems: Problem[]): Beside {
  let beside: Beside = { given: {} }
  const wrapper = object(FIELDS, {
    // Told of the fields that are in order beside others that are not, so that the definition is judged with those
    rule({ toolkit, version, implementation, implementations, tags, security_level, approval }) {
      const given = { ...(toolkit === undefined ? {} : { toolkit }), ...(version === undefined ? {} : { version }) }
      beside = {
        given,
        implementation,
        implementations,
        tags,
        ...(security_level === undefined && approval === undefined ? {} : { guard: { security_level, approval } }),
      }
    },
  })
  wrapper(body, { problems, warnings: [], quotes: true, budget: createBudget() })
  problems.push(
    ...judgeText(body.implementation ?? null, 'an implementation', '/implementation'),
    ...(isJsonObject(body.implementations) ? Object.entries(body.implementations) : []).flatMap(([tool, each]) =>
      judgeText(each ?? null, 'an implementation', `/implementations${pointerStep(tool)}`),
    ),
    ...judgeText(body.tags ?? null, 'an implementation', '/tags'),
  )
  return beside
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value.kind === 'string'
}
