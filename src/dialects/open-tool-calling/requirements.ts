import type { Loss } from '../../core/tool/codec.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { AuthorizationRequirement, Requirements } from '../../core/tool/tool.ts'
import { objectAt, textAt, textsAt } from './fields.ts'

const AUTHORIZATION = {
  provider_id: 'optional',
  provider_type: 'required',
  id: 'optional',
  oauth2: 'optional',
} as const
const PATH = '/requirements'
/** What the RFC calls the usual kind of provider. */
const OAUTH2 = 'oauth2'

/**
 * Reads `requirements`: at most one authorization, called by its `provider_id`, else its `id`, else its
 * `provider_type`; "none" and null are no authorization, and "token" is one called so. Every breach joins `problems`.
 */
export function decodeRequirements(value: Json | undefined, problems: Problem[]): Requirements {
  const nothing: Requirements = { authorization: [], secrets: [], user_id: false }
  if (value === undefined) return nothing
  const object = objectAt(value, PATH, { secrets: 'optional', authorization: 'optional' }, problems)
  if (!object) return nothing
  const authorization = decodeAuthorization(object.authorization, problems)
  return {
    authorization: authorization ? [authorization] : [],
    secrets: decodeSecrets(object.secrets, problems),
    user_id: false,
  }
}

/** Writes requirements; a user id, and every authorization but the first, join `losses`. */
export function encodeRequirements(requirements: Requirements, losses: Loss[]): JsonObject {
  const [first, ...others] = requirements.authorization
  others.forEach((_, index) =>
    losses.push({ path: `${PATH}/authorization/${index + 1}`, reason: 'The RFC has one authorization a tool' }),
  )
  if (requirements.user_id) losses.push({ path: `${PATH}/user_id`, reason: 'The RFC cannot ask for a user id' })
  return {
    secrets: requirements.secrets.length === 0 ? null : requirements.secrets.map(({ id }) => ({ key_id: id })),
    authorization: first ? encodeAuthorization(first) : null,
  }
}

/** What the RFC calls the provider of an authorization that another dialect asks for. */
function encodeAuthorization({ id, oauth2 }: AuthorizationRequirement): JsonObject {
  const provider = { provider_id: id, provider_type: OAUTH2 }
  return oauth2 ? { ...provider, oauth2: { scopes: [...oauth2.scopes] } } : provider
}

/** What of an authorization a record's requirements do not say: undefined when it is as this dialect writes it. */
export function providerOf(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value) || !('provider_type' in value)) return undefined
  const { provider_id, provider_type, id } = value
  if (provider_type === OAUTH2 && provider_id !== undefined && id === undefined) return undefined
  return {
    ...(provider_id === undefined ? {} : { provider_id }),
    ...(provider_type === undefined ? {} : { provider_type }),
    ...(id === undefined ? {} : { id }),
  }
}

function decodeAuthorization(value: Json | undefined, problems: Problem[]): AuthorizationRequirement | undefined {
  const path = `${PATH}/authorization`
  if (value === undefined || value === null || value === 'none') return undefined
  if (value === 'token') return { id: 'token' }
  if (typeof value === 'string') {
    problems.push({ path, message: "Must be null, 'none', 'token' or an object" })
    return undefined
  }
  const object = objectAt(value, path, AUTHORIZATION, problems)
  if (!object) return undefined
  const provider_id = textAt(object.provider_id, `${path}/provider_id`, problems)
  const ownId = textAt(object.id, `${path}/id`, problems)
  const provider_type = textAt(object.provider_type, `${path}/provider_type`, problems)
  const id = provider_id || ownId || provider_type
  if (id !== undefined && !isId(id)) {
    problems.push({ path, message: 'Must name a provider with 1 to 128 visible ASCII characters' })
  }
  if (object.oauth2 === undefined) return id === undefined ? undefined : { id }
  const oauth2 = objectAt(object.oauth2, `${path}/oauth2`, { scopes: 'optional' }, problems)
  const scopes = textsAt(oauth2?.scopes, `${path}/oauth2/scopes`, problems) ?? []
  return id === undefined ? undefined : { id, oauth2: { scopes: [...scopes] } }
}

function decodeSecrets(value: Json | undefined, problems: Problem[]): { readonly id: string }[] {
  const path = `${PATH}/secrets`
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    problems.push({ path, message: 'Must be null or an array' })
    return []
  }
  return value.flatMap((entry: Json, index) => {
    const object = objectAt(entry, `${path}/${index}`, { key_id: 'required' }, problems)
    const id = textAt(object?.key_id, `${path}/${index}/key_id`, problems)
    if (id === undefined) return []
    if (isId(id)) return [{ id }]
    problems.push({ path: `${path}/${index}/key_id`, message: 'Must be 1 to 128 visible ASCII characters' })
    return []
  })
}

function isId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text)
}
