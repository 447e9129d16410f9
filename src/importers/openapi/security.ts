import { isObject, type JsonObject } from '../../core/tool/json.ts'
import type { Requirements } from '../../core/tool/tool.ts'
import { type Description, follow, listAt, type Node, objectAt, textAt } from './description.ts'
import type { CredentialOption } from './options.ts'
import { schemeOfSwagger } from './swagger.ts'

/** What a call of an operation needs, and where it goes. */
export interface ChosenSecurity {
  readonly requirements: Pick<Requirements, 'authorization' | 'secrets'>
  /** Of the `http` implementation. */
  readonly credentials: readonly JsonObject[]
}

interface SchemeUse {
  readonly authorization?: { readonly id: string; readonly scopes: readonly string[] }
  readonly secrets?: readonly string[]
  readonly credentials: readonly JsonObject[]
}

const NOTHING: ChosenSecurity = { requirements: { authorization: [], secrets: [] }, credentials: [] }

/**
 * Chooses one of an operation's alternatives: the first whose schemes the publisher named all, else none at all where
 * the description allows that, else the first that can be said. What the publisher named beside the description's
 * schemes goes along with every call.
 */
export function chooseSecurity(
  description: Description,
  operation: Node,
  toolkit: string,
  options: ReadonlyMap<string, CredentialOption>,
): ({ readonly ok: true } & ChosenSecurity) | { readonly ok: false; readonly problem: string } {
  const { root } = description
  const schemes = description.edition === '2.0' ? objectAt(root, 'securityDefinitions') : componentsOf(root)
  const declared = Array.isArray(operation.security) ? operation.security : listAt(root, 'security')
  const alternatives = declared.filter(isObject)
  const own = [...options].filter(([name]) => !Object.hasOwn(schemes, name))
  const beside = own.map(([, option]) => useOf(option))
  const named = alternatives.find((each) => {
    const names = Object.keys(each)
    return names.length > 0 && names.every((name) => options.has(name))
  })
  const isOptional = alternatives.length === 0 || alternatives.some((each) => Object.keys(each).length === 0)
  const candidates = named ? [named] : isOptional ? [{}] : alternatives
  const problems: string[] = []
  for (const candidate of candidates) {
    const parts: SchemeUse[] = []
    const wrong = problems.length
    for (const [name, scopes] of Object.entries(candidate)) {
      const part = schemeUse(description, schemes, name, listAt({ scopes }, 'scopes'), toolkit, options.get(name))
      if (typeof part === 'string') problems.push(part)
      else parts.push(part)
    }
    const all = [...parts, ...beside]
    const twice = writtenTwice(all)
    if (twice !== undefined)
      problems.push(`its security schemes ${Object.keys(candidate).join(', ')} all write ${twice}`)
    if (problems.length === wrong) return { ok: true, ...merged(all) }
  }
  return { ok: false, problem: problems.join('; ') }
}

/** The names of a description's security schemes. */
export function schemeNames({ root, edition }: Description): readonly string[] {
  return Object.keys(edition === '2.0' ? objectAt(root, 'securityDefinitions') : componentsOf(root))
}

function componentsOf(root: Node): Node {
  return objectAt(objectAt(root, 'components'), 'securitySchemes')
}

function schemeUse(
  description: Description,
  schemes: Node,
  name: string,
  scopes: readonly unknown[],
  toolkit: string,
  option: CredentialOption | undefined,
): SchemeUse | string {
  if (!Object.hasOwn(schemes, name)) return `the security scheme '${name}' is not defined`
  const followed = follow(description, schemes[name])
  if (!followed.ok) return `the security scheme '${name}' cannot be read: ${followed.problem}`
  if (!isObject(followed.value)) return `the security scheme '${name}' is no object`
  const scheme = description.edition === '2.0' ? schemeOfSwagger(followed.value) : followed.value
  if (option?.in !== undefined) return useOf(option)
  const texts = scopes.filter((scope) => typeof scope === 'string')
  switch (scheme.type) {
    case 'apiKey': {
      const { in: place, name: field } = scheme
      if ((place !== 'header' && place !== 'query' && place !== 'cookie') || typeof field !== 'string') {
        return `the security scheme '${name}' does not say where its key goes`
      }
      return useOf({ ...whose(option, name, toolkit), in: place, name: field })
    }
    case 'http': {
      const kind = typeof scheme.scheme === 'string' ? scheme.scheme.toLowerCase() : ''
      if (kind === 'bearer') return useOf({ ...whose(option, name, toolkit), ...BEARER })
      if (kind === 'basic') return basic(option?.secret ?? secretId(toolkit, name))
      return `the security scheme '${name}' is HTTP '${kind.slice(0, 20)}': only basic and bearer can be said`
    }
    case 'oauth2':
    case 'openIdConnect': {
      if (option?.secret !== undefined) return useOf({ ...option, ...BEARER })
      const provider = option?.authorization ?? textAt(scheme, 'x-switchboard-provider') ?? providerId(toolkit, name)
      return useOf({ authorization: provider, scopes: option?.scopes ?? texts, ...BEARER })
    }
    default:
      return `the security scheme '${name}' has the type '${String(scheme.type).slice(0, 20)}', which cannot be said`
  }
}

const BEARER = { in: 'header', name: 'Authorization', format: 'Bearer {value}' } as const

function whose(option: CredentialOption | undefined, scheme: string, toolkit: string): CredentialOption {
  return option ?? { secret: secretId(toolkit, scheme) }
}

function useOf(option: CredentialOption): SchemeUse {
  const { authorization, secret, scopes = [], in: place = 'header', name = '', format } = option
  const where = { in: place, name, ...(format === undefined ? {} : { format }) }
  if (authorization !== undefined) {
    return { authorization: { id: authorization, scopes }, credentials: [{ authorization, ...where }] }
  }
  return { secrets: [secret ?? ''], credentials: [{ secret: secret ?? '', ...where }] }
}

function basic(id: string): SchemeUse {
  const [username, password] = [`${id}_USERNAME`, `${id}_PASSWORD`]
  return {
    secrets: [username, password],
    credentials: [
      { secret: username, in: 'basic', name: 'username' },
      { secret: password, in: 'basic', name: 'password' },
    ],
  }
}

/** What two schemes of one alternative would both write, if anything. */
function writtenTwice(parts: readonly SchemeUse[]): string | undefined {
  const written = new Set<string>()
  for (const { credentials } of parts) {
    const places = credentials.map(({ in: place, name }) =>
      place === 'basic' ? 'header authorization' : `${String(place)} ${String(name)}`,
    )
    for (const place of new Set(places.map((each) => (each.startsWith('header ') ? each.toLowerCase() : each)))) {
      if (written.has(place)) return `the ${place}`
      written.add(place)
    }
  }
  return undefined
}

function merged(parts: readonly SchemeUse[]): ChosenSecurity {
  if (parts.length === 0) return NOTHING
  const scopes = new Map<string, Set<string>>()
  for (const { authorization } of parts) {
    if (!authorization) continue
    const all = scopes.get(authorization.id) ?? new Set()
    for (const scope of authorization.scopes) all.add(scope)
    scopes.set(authorization.id, all)
  }
  return {
    requirements: {
      authorization: [...scopes].map(([id, all]) => ({ id, oauth2: { scopes: [...all] } })),
      secrets: [...new Set(parts.flatMap(({ secrets = [] }) => secrets))].map((id) => ({ id })),
    },
    credentials: parts.flatMap(({ credentials }) => credentials),
  }
}

/**
 * Secrets and providers are named after the toolkit too: two descriptions that both call a scheme `api_key` must not
 * get each other's key, nor a scheme called `google` the users' tokens for Google.
 */
function secretId(toolkit: string, scheme: string): string {
  return joined(toolkit, scheme).toUpperCase()
}

function providerId(toolkit: string, scheme: string): string {
  return joined(toolkit, scheme).toLowerCase()
}

function joined(toolkit: string, scheme: string): string {
  const plain = (text: string) => text.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  const [first, second] = [plain(toolkit), plain(scheme)]
  return (second.toLowerCase().startsWith(`${first.toLowerCase()}_`) ? second : `${first}_${second}`).slice(0, 100)
}
