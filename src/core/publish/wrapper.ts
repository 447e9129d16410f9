import { type Guard, guardFields } from '../access/guard.ts'
import { createBudget } from '../tool/budget.ts'
import type { Given } from '../tool/codec.ts'
import { namePart, tags, version } from '../tool/definition-fields.ts'
import { isJson, isJsonObject, isList, isObject, type Json, type JsonObject } from '../tool/json.ts'
import { anything, map, matching, nullish, object, optional, type Reader } from '../tool/json-reader.ts'
import { schemaOf, stating, unfit, wrong } from '../tool/json-reader.ts'
import { pointerStep, type Problem } from '../tool/problem.ts'
import type { Implementation } from '../tool/tool.ts'
import { judgeText, MAX_TOOLS } from './definition-rules.ts'

const MAX_BATCH = 1_000

export interface Beside {
  readonly given: Given
  readonly implementation?: Implementation | undefined
  readonly implementations?: Readonly<Record<string, Implementation>> | undefined
  readonly tags?: readonly string[] | undefined
  readonly guard?: Guard
}

const IMPLEMENTATION = matching(
  "an object with a 'kind'",
  (value): value is Implementation => isObject(value) && typeof value.kind === 'string',
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

const BARE = { type: 'object', description: 'A definition in any dialect', not: { required: ['definition'] } }
const ONE = () => ({ anyOf: [{ ...schemaOf(object(FIELDS)), required: ['definition'] }, BARE] })

export const CONVERTED = matching('a definition', isJson, ONE)

export const PUBLICATION: Reader<Json> = stating(
  () => ({ anyOf: [...ONE().anyOf, { type: 'array', items: ONE(), maxItems: MAX_BATCH }] }),
  (body, report) => {
    if (isList(body) && body.length > MAX_BATCH)
      return wrong(report, `A batch holds at most ${MAX_BATCH} definitions, got ${body.length}`)
    return isJson(body) ? body : unfit(report, 'a definition', body)
  },
)

export function readWrapper(body: JsonObject, problems: Problem[]): Beside {
  let beside: Beside = { given: {} }
  const wrapper = object(FIELDS, {
    // Given the valid fields even beside invalid ones, so that the definition is judged with those
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
  wrapper(body, { problems, warnings: [], quotes: true, budget: createBudget })
  problems.push(
    ...judgeText(body.implementation ?? null, 'an implementation', '/implementation'),
    ...(isJsonObject(body.implementations) ? Object.entries(body.implementations) : []).flatMap(([tool, each]) =>
      judgeText(each ?? null, 'an implementation', `/implementations${pointerStep(tool)}`),
    ),
    ...judgeText(body.tags ?? null, 'an implementation', '/tags'),
  )
  return beside
}
