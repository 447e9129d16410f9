import { isProviderId } from '../../core/consent/provider.ts'
import type { ImportedProvider } from '../../core/publish/import.ts'
import { trim } from '../../core/tool/trim.ts'
import { type Description, objectAt, type OpenApiNode, textAt } from './description.ts'

const MAX_ID = 100
const OPENID_PATH = '/.well-known/openid-configuration'

/** `token` means one that the caller brings (Open Tool Calling RFC). */
export function mayNameProvider(id: string): boolean {
  return isProviderId(id) && id !== 'token'
}

/** Of the toolkit, and not of the tools that an import chooses: its parts give the same ids. */
export function toProviderId(toolkit: string, scheme: string, schemes: readonly string[]): string {
  const id = toolkit.toLowerCase()
  if (schemes.length === 1 && mayNameProvider(id)) return id
  const schemePart = trim(scheme.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), '-')
  return (schemePart.startsWith(`${id}-`) ? schemePart : `${id}-${schemePart}`).slice(0, MAX_ID)
}

interface SchemeProviderOptions {
  readonly id: string
  readonly name: string
  readonly kind: ImportedProvider['kind']
  readonly toolkit: string
  readonly isOnlyScheme: boolean
}

/** Only the toolkit's tools may use it: others would get what people entered for this API. */
export function toSchemeProvider(
  { root }: Description,
  scheme: OpenApiNode,
  { id, name, kind, toolkit, isOnlyScheme }: SchemeProviderOptions,
): ImportedProvider {
  const title = toLine(textAt(objectAt(root, 'info'), 'title'), isOnlyScheme ? 100 : 60) ?? id
  const shared = {
    name: isOnlyScheme ? title : (toLine(`${title} (${name})`, 100) ?? id),
    tools: [`${toolkit}.*`],
  }
  if (kind === 'oauth2')
    return { id, kind, scheme: name, body: { ...shared, ...findEndpoints(scheme), client_id: 'CLIENT_ID' } }
  const help = toLine(textAt(scheme, 'description'), 500)
  const url = textAt(objectAt(root, 'externalDocs'), 'url') ?? ''
  const isLink = /^https:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/.test(url) && url.length <= 2_000
  const texts = { ...(help === undefined ? {} : { help }), ...(isLink ? { help_url: url } : {}) }
  return { id, kind, scheme: name, body: { kind, ...shared, ...texts } }
}

/** As far as the description says: its author does not know the client. */
function findEndpoints(scheme: OpenApiNode): Readonly<Record<string, string>> {
  const openIdUrl = textAt(scheme, 'openIdConnectUrl')
  if (openIdUrl?.endsWith(OPENID_PATH)) return { issuer: openIdUrl.slice(0, -OPENID_PATH.length) }
  const flow = scheme.flow === undefined ? objectAt(objectAt(scheme, 'flows'), 'authorizationCode') : scheme
  const [authorization, token] = [textAt(flow, 'authorizationUrl'), textAt(flow, 'tokenUrl')]
  return authorization && token ? { authorization_endpoint: authorization, token_endpoint: token } : {}
}

function toLine(text: string | undefined, maxCharacters: number): string | undefined {
  const line = text?.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return line ? line.slice(0, maxCharacters).trim().toWellFormed() : undefined
}
