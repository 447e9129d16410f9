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
import {
  stringMatching,
  hideValue,
  addProblem,
  type INVALID_VALUE,
  type ReadContext,
} from '../../core/tool/json-reader.ts'
import { encodePointerStep, quoteList } from '../../core/tool/problem.ts'
import { mayNameProvider } from './scheme-provider.ts'

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

const SCHEMES = transform(map(CREDENTIAL), (read) => new Map(Object.entries(read)))
const MODE = enumReader(['deployment', 'per-user'])
const PROVIDER = stringMatching(
  "a provider's id, which is 1 to 128 visible ASCII characters, and not 'approval' or 'token'",
  mayNameProvider,
)

const FIELDS = {
  // The URL is not quoted, since it may hold a password
  base_url: optional(hideValue(stringMatching('an http or https URL without query, fragment and user', isBase))),
  credentials: (value: unknown, report: ReadContext) =>
    typeof value === 'string' ? MODE(value, report) : SCHEMES(value ?? {}, report),
  providers: optional(map(PROVIDER)),
  outputs: optional(enumReader(['described', 'any']), 'described'),
}

export function readImportOptions(fields: JsonObject, schemes: readonly string[]) {
  const schemeList = schemes.length > 0 ? quoteList(schemes) : 'none'
  const reader = object(FIELDS, {
    otherFields: IMPORT_FIELDS,
    rule({ credentials = 'deployment', providers }, report) {
      if (providers && credentials !== 'per-user')
        addProblem(report, "Is only for 'credentials': 'per-user'", '/providers')
      const unknown = Object.keys(providers ?? {}).find((name) => !schemes.includes(name))
      const path = unknown === undefined ? '' : `/providers${encodePointerStep(unknown)}`
      if (path !== '') addProblem(report, `The description has no such security scheme (it has ${schemeList})`, path)
      for (const [name, option] of typeof credentials === 'string' ? [] : credentials) {
        if (schemes.includes(name) || option.in !== undefined) continue
        const message = `The description has no such security scheme (it has ${schemeList}): say 'in' and 'name' to send it anyway`
        addProblem(report, message, `/credentials${encodePointerStep(name)}`)
      }
    },
  })
  const withSchemes = transform(reader, ({ credentials, providers = {}, ...options }) => {
    const named = Object.entries(providers).map(([scheme, authorization]) => [scheme, { authorization }] as const)
    return {
      ...options,
      isPerUser: credentials === 'per-user',
      hasOneScheme: schemes.length === 1,
      credentials: new Map<string, CredentialOption>(typeof credentials === 'string' ? named : credentials),
    }
  })
  return parseValue(withSchemes, fields)
}

function isBase(text: string): boolean {
  if (!/^https?:\/\/[^?#{}]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
