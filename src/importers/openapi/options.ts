import { requirementId } from '../../core/tool/definition-fields.ts'
import { IMPORT_FIELDS } from '../../core/publish/import.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { encodePointerStep, quoteList } from '../../core/tool/problem.ts'
import { mayNameProvider } from './scheme-provider.ts'

const CREDENTIAL = json.object(
  {
    secret: json.optional(requirementId),
    authorization: json.optional(requirementId),
    scopes: json.optional(json.stringArray),
    in: json.optional(json.enumReader(['header', 'query', 'cookie'])),
    name: json.optional(json.string()),
    format: json.optional(
      json.hideValue(json.stringMatching("a string that holds '{value}'", (format) => format.includes('{value}'))),
    ),
  },
  {
    rule(_, report, { secret, authorization, in: place, name }) {
      if ((secret === undefined) === (authorization === undefined))
        json.addProblem(report, "Must have either 'secret' or 'authorization'")
      if ((place === undefined) !== (name === undefined))
        json.addProblem(report, "Must have both 'in' and 'name', or neither")
    },
  },
)

export type CredentialOption = json.InferOutput<typeof CREDENTIAL>

export type OpenApiOptions = Extract<ReturnType<typeof readImportOptions>, { readonly ok: true }>['value']

const SCHEMES = json.transform(json.map(CREDENTIAL), (read) => new Map(Object.entries(read)))
const MODE = json.enumReader(['deployment', 'per-user'])
const PROVIDER = json.stringMatching(
  "a provider's id, which is 1 to 128 visible ASCII characters, and not 'approval' or 'token'",
  mayNameProvider,
)

const FIELDS = {
  // The URL is not quoted, because it may contain a password
  base_url: json.optional(
    json.hideValue(json.stringMatching('an http or https URL without query, fragment and user', isBase)),
  ),
  credentials: (value: unknown, report: json.ReadContext) =>
    typeof value === 'string' ? MODE(value, report) : SCHEMES(value ?? {}, report),
  providers: json.optional(json.map(PROVIDER)),
  outputs: json.optional(json.enumReader(['described', 'any']), 'described'),
}

export function readImportOptions(fields: JsonObject, schemes: readonly string[]) {
  const schemeList = schemes.length > 0 ? quoteList(schemes) : 'none'
  const noScheme = `The description has no such security scheme (it has ${schemeList})`
  const reader = json.object(FIELDS, {
    otherFields: IMPORT_FIELDS,
    rule({ credentials = 'deployment', providers }, report) {
      if (providers && credentials !== 'per-user')
        json.addProblem(report, "Is only for 'credentials': 'per-user'", '/providers')
      const unknown = Object.keys(providers ?? {}).find((name) => !schemes.includes(name))
      if (unknown !== undefined) json.addProblem(report, noScheme, `/providers${encodePointerStep(unknown)}`)
      for (const [name, option] of typeof credentials === 'string' ? [] : credentials) {
        if (schemes.includes(name) || option.in !== undefined) continue
        const message = `${noScheme}: say 'in' and 'name' to send it anyway`
        json.addProblem(report, message, `/credentials${encodePointerStep(name)}`)
      }
    },
  })
  const withSchemes = json.transform(reader, ({ credentials, providers = {}, ...options }) => {
    const named = Object.entries(providers).map(([scheme, authorization]) => [scheme, { authorization }] as const)
    return {
      ...options,
      isPerUser: credentials === 'per-user',
      hasOneScheme: schemes.length === 1,
      credentials: new Map<string, CredentialOption>(typeof credentials === 'string' ? named : credentials),
    }
  })
  return json.parseValue(withSchemes, fields)
}

function isBase(text: string): boolean {
  if (!/^https?:\/\/[^?#{}]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
