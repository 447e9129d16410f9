import { isCheckedInLinearTime } from '../schema/validator.ts'
import {
  addProblem,
  array,
  boolean,
  enumReader,
  map,
  object,
  optional,
  type Reader,
  refine,
  string,
  stringMatching,
  transform,
  unique,
  withSchemaDescription,
} from '../tool/json-reader.ts'
import { parsePointer } from '../tool/problem.ts'
import { toolPattern } from '../tool/tool-id.ts'
import {
  CREDENTIAL_KINDS,
  type ProviderCheck,
  type CredentialField,
  type CredentialKind,
  type CredentialProvider,
  VARIABLE,
} from './credential-provider.ts'

const KIND_FIELDS: Readonly<Record<Exclude<CredentialKind, 'fields'>, readonly CredentialField[]>> = {
  api_key: [{ name: 'key', label: 'API key', isSecret: true }],
  bearer: [{ name: 'token', label: 'Personal access token', isSecret: true }],
  basic: [
    { name: 'username', label: 'User name', pattern: '^[^:]*$', isSecret: false },
    { name: 'password', label: 'Password', isSecret: true },
  ],
}

/** How a check sends the entered values, unless it specifies that itself. */
const CHECK_HEADERS: Partial<Record<CredentialKind, ProviderCheck['headers']>> = {
  bearer: { authorization: 'Bearer {token}' },
  basic: { authorization: 'Basic {basic}' },
}

export const PROVIDER_NAME = stringMatching('a string of 1 to 100 printable characters', /^[^\p{Cc}]{1,100}$/u)
const TEXT = stringMatching('a string of 1 to 500 printable characters', /^[^\p{Cc}]{1,500}$/u)
const PATTERN = refine(string({ max: 500 }), (pattern) =>
  isCheckedInLinearTime({ type: 'string', pattern })
    ? undefined
    : 'Must be a regular expression, a row of characters of which at most one is repeated freely',
)
const POINTER = stringMatching("a JSON Pointer, such as '/user/email'", (text) => parsePointer(text) !== undefined, 200)
const HELP_URL = stringMatching('an https URL', isHelpUrl)
export const PROVIDER_TOOLS = optional(
  withSchemaDescription(
    'Tools that may use the provider, as patterns such as Gmail.*; all by default',
    array(toolPattern, { max: 100 }),
  ),
)
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

function fieldsReader(): Reader<readonly CredentialField[]> {
  const field = object({
    name: withSchemaDescription(
      'Name by which tools refer to it',
      unique(stringMatching("a name of 1 to 64 letters, digits, '_' and '-'", /^[A-Za-z0-9_-]{1,64}$/)),
    ),
    label: withSchemaDescription('What the page calls it', PROVIDER_NAME),
    help: optional(withSchemaDescription('What the page says of it', TEXT)),
    pattern: optional(withSchemaDescription('What a value must match, as in JSON Schema', PATTERN)),
    secret: optional(withSchemaDescription('Whether it is hidden as it is typed, and redacted', boolean), true),
  })
  return array(
    transform(field, ({ secret, ...more }) => ({ ...more, isSecret: secret })),
    { min: 1, max: 10 },
  )
}

/** Creates the reader of a provider. `checkUrl` returns why a URL cannot be requested. */
export function credentialProviderReader(
  id: string,
  checkUrl: (url: string) => string | undefined,
): Reader<CredentialProvider> {
  const check = object({
    url: withSchemaDescription(
      'URL that only answers 2xx to a right credential; {field} in its path or query stands for a value',
      refine(string({ max: 2_000 }), (url) => findUrlProblem(url, checkUrl)),
    ),
    method: optional(enumReader(['GET', 'POST']), 'GET'),
    headers: optional(
      withSchemaDescription(
        'Headers, in which {field} stands for a value; Authorization by default, for bearer and basic',
        map(string({ max: 1_000 }), 20, (name) =>
          HEADER_NAME.test(name) ? undefined : 'Must have the name of a header',
        ),
      ),
    ),
    account: optional(withSchemaDescription('JSON Pointer to what names the account in the answer', POINTER)),
  })
  const reader = object(
    {
      id: optional(stringMatching(`'${id}', as in the path`, (value) => value === id)),
      kind: withSchemaDescription('What a person enters on the consent page', enumReader(CREDENTIAL_KINDS)),
      name: optional(withSchemaDescription('Display name', PROVIDER_NAME), id),
      fields: optional(withSchemaDescription("For 'fields': what a person enters", fieldsReader())),
      help: optional(withSchemaDescription('What the page says of it', TEXT)),
      help_url: optional(withSchemaDescription('URL of the page where a person gets one', HELP_URL)),
      check: optional(withSchemaDescription('Request that tries what was entered before it is stored', check)),
      tools: PROVIDER_TOOLS,
    },
    {
      rule({ kind, fields, check }, report, source) {
        if (kind === undefined) return
        if (kind === 'fields' && source.fields === undefined) addProblem(report, "Is required for 'fields'", '/fields')
        if (kind !== 'fields' && fields) addProblem(report, `Is only for the kind 'fields', got '${kind}'`, '/fields')
        const kindFields = kind === 'fields' ? fields : KIND_FIELDS[kind]
        if (!check || !kindFields) return
        const names = [...kindFields.map(({ name }) => name), ...(kind === 'basic' ? ['basic'] : [])]
        const headers = check.headers ?? CHECK_HEADERS[kind] ?? {}
        const usedNames = [check.url, ...Object.values(headers)].flatMap((text) =>
          [...text.matchAll(VARIABLE)].map(([, name = '']) => name),
        )
        const unknown = usedNames.find((name) => !names.includes(name))
        if (unknown !== undefined) addProblem(report, `Must have no '{${unknown}}': it is no field`, '/check')
        // Otherwise, any credential would pass
        if (usedNames.length === 0)
          addProblem(report, `Must send a value, such as '{${names[0]}}' in a header`, '/check')
      },
    },
  )
  return transform(reader, ({ fields = [], check, ...provider }): CredentialProvider => {
    const { kind } = provider
    const headers = check?.headers ?? CHECK_HEADERS[kind]
    return {
      ...provider,
      id,
      fields: kind === 'fields' ? fields : KIND_FIELDS[kind],
      ...(check ? { check: { ...check, ...(headers ? { headers } : {}) } } : {}),
    }
  })
}

/** Checks the URL of a page for people, which must contain no user name. */
export function isHelpUrl(url: string): boolean {
  return url.length <= 2_000 && /^https:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/.test(url)
}

/** Values must not choose the host, since the other values would be sent there. */
function findUrlProblem(url: string, checkUrl: (url: string) => string | undefined): string | undefined {
  if (!/^https?:\/\/[^/?#\\{}\s]+(?:[/?]|$)/i.test(url))
    return 'Must name its host: a field can stand in the path and query only'
  const problem = checkUrl(url.replaceAll(VARIABLE, 'x'))
  return problem === undefined ? undefined : `Cannot be requested: ${problem}`
}
