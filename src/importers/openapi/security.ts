import type { ImportedProvider } from '../../core/publish/import.ts'
import { isObject } from '../../core/tool/json.ts'
import type { CredentialUse } from '../shared/credential-needs.ts'
import {
  type Description,
  resolveOpenApiRef,
  listAt,
  type OpenApiNode,
  objectAt,
  type ConvertResult,
  formatValue,
  listTexts,
} from './description.ts'
import type { CredentialOption, OpenApiOptions } from './options.ts'
import { toIdentifier, toProviderId, toSchemeProvider, toScopedName } from './scheme-provider.ts'

type SecurityOptions = Pick<OpenApiOptions, 'credentials' | 'isPerUser' | 'hasOneScheme'>

/** Chooses the first alternative whose schemes the publisher named, else none if allowed, else the first expressible one. */
export function chooseSecurity(
  description: Description,
  operation: OpenApiNode,
  toolkit: string,
  securityOptions: SecurityOptions,
): ConvertResult<readonly CredentialUse[]> {
  const { credentials: options } = securityOptions
  const schemes = listSchemes(description)
  const declared = Array.isArray(operation.security) ? operation.security : listAt(description.root, 'security')
  const alternatives = declared.filter(isObject)
  const undeclaredOptions = [...options].filter(([name]) => !Object.hasOwn(schemes, name))
  const undeclaredUses = undeclaredOptions.map(([, option]) => toCredentialUse(option))
  const namedAlternative = alternatives.find((alternative) => {
    const names = Object.keys(alternative)
    return names.length > 0 && names.every((name) => options.has(name))
  })
  const isOptional =
    alternatives.length === 0 || alternatives.some((alternative) => Object.keys(alternative).length === 0)
  const candidates = namedAlternative ? [namedAlternative] : isOptional ? [{}] : alternatives
  const problems: string[] = []
  for (const candidate of candidates) {
    const results = Object.entries(candidate).map(([name, scopes]) =>
      schemeUse(description, name, listTexts(scopes), toolkit, securityOptions),
    )
    const uses = [...results.filter((use) => typeof use !== 'string'), ...undeclaredUses]
    const conflict = findConflict(uses)
    if (conflict !== undefined)
      results.push(`its security schemes ${Object.keys(candidate).join(', ')} all write ${conflict}`)
    const candidateProblems = results.filter((result) => typeof result === 'string')
    if (candidateProblems.length === 0) return { ok: true, value: uses }
    problems.push(...candidateProblems)
  }
  return { ok: false, problem: problems.slice(0, MAX_PROBLEMS).join('; ') }
}

const MAX_PROBLEMS = 5

export function listSchemes({ root, edition }: Description): OpenApiNode {
  return edition === '2.0'
    ? objectAt(root, 'securityDefinitions')
    : objectAt(objectAt(root, 'components'), 'securitySchemes')
}

function schemeUse(
  description: Description,
  name: string,
  scopes: readonly string[],
  toolkit: string,
  { credentials, isPerUser, hasOneScheme }: SecurityOptions,
): CredentialUse | string {
  const option = credentials.get(name)
  const schemes = listSchemes(description)
  if (!Object.hasOwn(schemes, name)) return `the security scheme '${name}' is not defined`
  const resolution = resolveOpenApiRef(description, schemes[name])
  if (!resolution.ok) return `the security scheme '${name}' cannot be read: ${resolution.problem}`
  if (!isObject(resolution.value)) return `the security scheme '${name}' is not an object`
  const { value } = resolution
  const isBasic = description.edition === '2.0' && value.type === 'basic'
  const scheme = isBasic ? { ...value, type: 'http', scheme: 'basic' } : value
  if (option?.in !== undefined) return toCredentialUse(option)
  const scopedName = toScopedName(toIdentifier(toolkit, '_'), name, '_')
  const secret = scopedName.toUpperCase()
  // Never an id from the description, because its author would receive tokens of that provider's users
  const ownId = isPerUser ? toProviderId(toolkit, name, hasOneScheme) : scopedName.toLowerCase()
  const id = option?.authorization ?? ownId
  const key = isPerUser ? { authorization: id } : (option ?? { secret })
  const withProvider = (kind: ImportedProvider['kind'], use: CredentialUse): CredentialUse => {
    if (!isPerUser) return use
    const provider = toSchemeProvider(description, scheme, { id, kind, scheme: name, toolkit, hasOneScheme })
    return { ...use, ...(kind === 'oauth2' ? {} : { scopes: undefined }), provider }
  }
  switch (scheme.type) {
    case 'apiKey': {
      const { in: place, name: field } = scheme
      if ((place !== 'header' && place !== 'query' && place !== 'cookie') || typeof field !== 'string') {
        return `the security scheme '${name}' does not say where its key goes`
      }
      // A user's key is sent unchanged even in `Authorization`, where it would otherwise become a bearer token
      const format = isPerUser && field.toLowerCase() === 'authorization' ? { format: '{value}' } : {}
      return withProvider('api_key', toCredentialUse({ ...key, in: place, name: field, ...format }))
    }
    case 'http': {
      const kind = typeof scheme.scheme === 'string' ? scheme.scheme.toLowerCase() : ''
      if (kind === 'bearer') return withProvider(kind, toCredentialUse({ ...key, ...BEARER }))
      if (kind === 'basic')
        return withProvider(kind, toBasicUse(isPerUser ? key : { secret: option?.secret ?? secret }))
      return `the security scheme '${name}' is HTTP '${kind.slice(0, 20)}': only basic and bearer can be said`
    }
    case 'oauth2':
    case 'openIdConnect': {
      if (option?.secret !== undefined) return toCredentialUse({ ...option, ...BEARER })
      return withProvider('oauth2', toCredentialUse({ authorization: id, scopes: option?.scopes ?? scopes, ...BEARER }))
    }
    default:
      return `the security scheme '${name}' has the type ${formatValue(scheme.type)}, which cannot be said`
  }
}

const BEARER = { in: 'header', name: 'Authorization', format: 'Bearer {value}' } as const

function toCredentialUse({
  authorization,
  secret = '',
  scopes = [],
  in: place = 'header',
  name = '',
  format,
}: CredentialOption): CredentialUse {
  const location = { in: place, name, ...(format === undefined ? {} : { format }) }
  return {
    scopes,
    credentials: [authorization === undefined ? { secret, ...location } : { authorization, ...location }],
  }
}

function toBasicUse({ authorization, secret }: CredentialOption): CredentialUse {
  const credentials = ['username', 'password'].map((name) => ({
    ...(authorization === undefined ? { secret: `${secret}_${name.toUpperCase()}` } : { authorization, field: name }),
    in: 'basic',
    name,
  }))
  return { scopes: [], credentials }
}

function findConflict(uses: readonly CredentialUse[]): string | undefined {
  const usedPlaces = new Set<string>()
  for (const { credentials } of uses) {
    for (const place of new Set(credentials.map(findPlace))) {
      if (usedPlaces.has(place)) return `the ${place}`
      usedPlaces.add(place)
    }
  }
  return undefined
}

/** No two credentials or parameters may share a place. Header names ignore case. */
export function findPlace({ in: place, name }: OpenApiNode): string {
  if (place === 'basic') return 'header authorization'
  return place === 'header' ? `header ${String(name).toLowerCase()}` : `${String(place)} ${String(name)}`
}
