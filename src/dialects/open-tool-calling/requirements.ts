import { CREDENTIAL_KINDS } from '../../core/consent/credential-provider.ts'
import type { Loss } from '../../core/tool/codec.ts'
import { requirementId } from '../../core/tool/definition-fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { quoteList } from '../../core/tool/problem.ts'
import { type AuthorizationRequirement, isRequirementId, type Requirements } from '../../core/tool/tool.ts'

const PATH = '/requirements'
const OAUTH2 = 'oauth2'
const TOKEN = 'token'
const AUTHORIZATION: json.Reader<AuthorizationRequirement> = json.transform(
  json.object(
    {
      provider_id: json.nullish(json.string()),
      provider_type: json.refine(json.string(), explainUnknownType),
      id: json.nullish(json.string()),
      oauth2: json.nullish(json.object({ scopes: json.nullish(json.stringArray, []) })),
    },
    {
      rule({ provider_id, id, provider_type, oauth2 }, report) {
        if (oauth2?.scopes.length && CREDENTIAL_KINDS.some((kind) => kind === provider_type))
          json.addProblem(report, `Must have no scopes for '${provider_type}'`, '/oauth2/scopes')
        const name = provider_id || id || provider_type
        if (name === undefined || isRequirementId(name)) return
        json.addProblem(report, 'Must name a provider with 1 to 128 visible ASCII characters')
      },
    },
  ),
  ({ provider_id, id, provider_type, oauth2 }) => {
    if (provider_type === TOKEN) return { id: TOKEN }
    const scopes = oauth2 && provider_type === OAUTH2 ? { oauth2 } : {}
    return { id: provider_id || id || provider_type, ...scopes }
  },
)

/** Rejects other types, because their consent page could never be completed. */
function explainUnknownType(type: string): string | undefined {
  const types: readonly string[] = [OAUTH2, TOKEN, ...CREDENTIAL_KINDS]
  if (types.includes(type)) return undefined
  return `Must be one of ${quoteList(types)}, got '${type.slice(0, 100)}': declare a key of the deployment as one of the 'secrets'`
}

/** The schema has `key_id`, but the workers of its author use `key`. */
const SECRET = json.transform(
  json.object({ key_id: json.optional(requirementId), key: json.optional(requirementId) }),
  ({ key_id, key = key_id }, report) => key ?? json.addProblem(report, 'Is required', '/key_id'),
)
const SECRETS = json.transform(json.array(SECRET), (keys) => [...new Set(keys)].map((id) => ({ id })))
const NO_METADATA = json.refine(json.nullish(json.array(json.anyJson), []), (keys) =>
  keys.length === 0 ? undefined : "Must be null or empty: no call is given an engine's metadata here",
)

export const requirementsReader: json.Reader<Requirements> = json.transform(
  json.object({
    secrets: json.nullish(SECRETS, []),
    authorization: json.nullish(readAuthorization),
    metadata: NO_METADATA,
  }),
  ({ secrets, authorization }) => ({ authorization: authorization ? [authorization] : [], secrets, user_id: false }),
)

function readAuthorization(
  value: unknown,
  report: json.ReadContext,
): AuthorizationRequirement | typeof json.INVALID_VALUE | undefined {
  if (value === 'none') return undefined
  if (value === TOKEN) return { id: TOKEN }
  return typeof value === 'string'
    ? json.addTypeProblem(report, "null, 'none', 'token' or an object", value)
    : AUTHORIZATION(value, report)
}

export function encodeRequirements(requirements: Requirements, losses: Loss[]): JsonObject {
  const [first, ...furtherAuthorizations] = requirements.authorization
  furtherAuthorizations.forEach((_, index) =>
    losses.push({ path: `${PATH}/authorization/${index + 1}`, reason: 'The RFC has one authorization a tool' }),
  )
  if (requirements.user_id) losses.push({ path: `${PATH}/user_id`, reason: 'The RFC cannot ask for a user id' })
  return {
    secrets: requirements.secrets.length === 0 ? null : requirements.secrets.map(({ id }) => ({ key_id: id })),
    authorization: first
      ? {
          provider_id: first.id,
          provider_type: OAUTH2,
          ...(first.oauth2 ? { oauth2: { scopes: [...first.oauth2.scopes] } } : {}),
        }
      : null,
  }
}

export function getProvider(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value) || !('provider_type' in value)) return undefined
  const { provider_id, provider_type, id } = value
  if (provider_type === OAUTH2 && provider_id !== undefined && id === undefined) return undefined
  return { ...(provider_id === undefined ? {} : { provider_id }), provider_type, ...(id === undefined ? {} : { id }) }
}
