import { requirementId } from '../../core/tool/definition-fields.ts'
import { IMPORT_FIELDS } from '../../core/publish/import.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { check, into, map, object, oneOf, optional, string, strings } from '../../core/tool/json-reader.ts'
import { text, unquoted, wrong, type WRONG } from '../../core/tool/json-reader.ts'
import { pointerStep, quoted } from '../../core/tool/problem.ts'

const CREDENTIAL = object(
  {
    secret: optional(requirementId),
    authorization: optional(requirementId),
    scopes: optional(strings),
    in: optional(oneOf(['header', 'query', 'cookie'])),
    name: optional(string()),
    format: optional(unquoted(text("a string that holds '{value}'", (format) => format.includes('{value}')))),
  },
  {
    rule(_, report, { secret, authorization, in: place, name }) {
      if ((secret === undefined) === (authorization === undefined))
        wrong(report, "Must have either 'secret' or 'authorization'")
      if ((place === undefined) !== (name === undefined)) wrong(report, "Must have both 'in' and 'name', or neither")
    },
  },
)

export type CredentialOption = Exclude<ReturnType<typeof CREDENTIAL>, typeof WRONG>

export type OpenApiOptions = Extract<ReturnType<typeof readOptions>, { readonly ok: true }>['value']

const FIELDS = {
  // Not quoted, since it may hold a password
  base_url: optional(unquoted(text('an http or https URL without query, fragment and user', isBase))),
  credentials: into(optional(map(CREDENTIAL), {}), (read) => new Map(Object.entries(read))),
  outputs: optional(oneOf(['described', 'any']), 'described'),
}

export function readOptions(fields: JsonObject, schemes: readonly string[]) {
  const known = schemes.length > 0 ? quoted(schemes) : 'none'
  const reader = object(FIELDS, {
    beside: IMPORT_FIELDS,
    rule({ credentials = [] }, report) {
      for (const [name, option] of credentials) {
        if (schemes.includes(name) || option.in !== undefined) continue
        const message = `The description has no such security scheme (it has ${known}): say 'in' and 'name' to send it anyway`
        wrong(report, message, `/credentials${pointerStep(name)}`)
      }
    },
  })
  return check(reader, fields)
}

function isBase(text: string): boolean {
  if (!/^https?:\/\/[^?#{}]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
