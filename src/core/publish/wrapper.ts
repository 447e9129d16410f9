import type { Given } from '../tool/codec.ts'
import { isObject, isTexts, type JsonObject } from '../tool/json.ts'
import { type Problem, pointerStep } from '../tool/problem.ts'
import { isNamePart, isVersion } from '../tool/tool-id.ts'
import type { Implementation } from '../tool/tool.ts'
import { judgeText } from './judge.ts'

const FIELDS = ['definition', 'implementation', 'toolkit', 'version', 'tags']

/** What a publisher says beside a document. */
export interface Beside {
  readonly given: Given
  readonly implementation?: Implementation
  readonly tags?: readonly string[]
}

/** Reads `{definition, implementation?, toolkit?, version?, tags?}` but for the definition. Adds what is wrong to `problems`. */
export function readWrapper(body: JsonObject, problems: Problem[]): Beside {
  const wrong = (path: string, message: string) => problems.push({ path, message })
  for (const key of Object.keys(body)) {
    if (!FIELDS.includes(key)) wrong(pointerStep(key), unknownField(key))
  }
  const { toolkit, version, tags, implementation } = body
  const isToolkit = typeof toolkit === 'string' && isNamePart(toolkit)
  if (toolkit !== undefined && !isToolkit) wrong('/toolkit', 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -')
  const isGivenVersion = typeof version === 'string' && isVersion(version)
  if (version !== undefined && !isGivenVersion) wrong('/version', 'Must be a version of the form x.y.z')
  if (tags !== undefined && !isTags(tags)) wrong('/tags', 'Must be up to 32 texts of 1 to 64 characters')
  const isGiven = implementation !== undefined && implementation !== null
  if (isGiven && !isImplementation(implementation)) wrong('/implementation', "Must be an object with a 'kind'")
  problems.push(
    ...judgeText(implementation ?? null, 'an implementation', '/implementation'),
    ...judgeText(tags ?? null, 'an implementation', '/tags'),
  )
  return {
    given: { ...(isToolkit ? { toolkit } : {}), ...(isGivenVersion ? { version } : {}) },
    ...(isImplementation(implementation) ? { implementation } : {}),
    ...(isTags(tags) ? { tags } : {}),
  }
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value.kind === 'string'
}

function isTags(value: unknown): value is readonly string[] {
  return isTexts(value) && value.length <= 32 && value.every(({ length }) => length >= 1 && length <= 64)
}

function unknownField(key: string): string {
  return `Unknown field '${key}': wanted ${FIELDS.map((field) => `'${field}'`).join(', ')}`
}
