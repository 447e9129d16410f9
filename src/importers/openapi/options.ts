import { requirementId } from '../../core/tool/definition-fields.ts'
import { IMPORT_FIELDS } from '../../core/publish/import.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import {
  parseValue,
  transform,
  map,
  object,
  enumReader,
  optional,
  string,
  stringArray,
} from '../../core/tool/json-reader.ts'
import { stringMatching, hideValue, addProblem, type INVALID_VALUE } from '../../core/tool/json-reader.ts'
import { encodePointerStep, quoteList } from '../../core/tool/problem.ts'

const CREDENTIAL = object(
  {
    secret: optional(requirementId),
    authorization: optional(requirementId),
    scopes: optional(stringArray),
    in: optional(enumReader(['header', 'query', 'cookie'])),
    name: optional(string()),
    format: optional(
      hideValue(stringMatching("a string that holds '{value}'", (format) => format.includes('{value}'))),
    ),
  },
  {
    rule(_, report, { secret, authorization, in: place, name }) {
      if ((secret === undefined) === (authorization === undefined))
        addProblem(report, "Must have either 'secret' or 'authorization'")
      if ((place === undefined) !== (name === undefined))
        addProblem(report, "Must have both 'in' and 'name', or neither")
    },
  },
)

export type CredentialOption = Exclude<ReturnType<typeof CREDENTIAL>, typeof INVALID_VALUE>

export type OpenApiOptions = Extract<ReturnType<typeof readImportOptions>, { readonly ok: true }>['value']

const FIELDS = {
  // The URL is not quoted, since it may hold a password
  base_url: optional(hideValue(stringMatching('an http or https URL without query, fragment and user', isBase))),
  credentials: transform(optional(map(CREDENTIAL), {}), (read) => new Map(Object.entries(read))),
  outputs: optional(enumReader(['described', 'any']), 'described'),
}

export function readImportOptions(fields: JsonObject, schemes: readonly string[]) {
  const schemeList = schemes.length > 0 ? quoteList(schemes) : 'none'
  const reader = object(FIELDS, {
    otherFields: IMPORT_FIELDS,
    rule({ credentials = [] }, report) {
      for (const [name, option] of credentials) {
        if (schemes.includes(name) || option.in !== undefined) continue
        const message = `The description has no such security scheme (it has ${schemeList}): say 'in' and 'name' to send it anyway`
        addProblem(report, message, `/credentials${encodePointerStep(name)}`)
      }
    },
  })
  return parseValue(reader, fields)
}

function isBase(text: string): boolean {
  if (!/^https?:\/\/[^?#{}]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
