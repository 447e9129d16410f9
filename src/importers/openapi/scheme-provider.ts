import { isHelpUrl } from '../../core/consent/credential-provider-reader.ts'
import { isProviderId } from '../../core/consent/provider.ts'
import type { ImportedProvider } from '../../core/publish/import.ts'
import { trim } from '../../core/tool/trim.ts'
import { type Description, objectAt, type OpenApiNode, textAt } from './description.ts'

const MAX_NAME = 100
const OPENID_PATH = '/.well-known/openid-configuration'

/** `token` means a token that the caller sends (Open Tool Calling RFC). */
export function mayNameProvider(id: string): boolean {
  return isProviderId(id) && id !== 'token'
}

/** Derives the id from the toolkit, not from the selected tools, so importing it in parts results in the same ids. */
export function toProviderId(toolkit: string, scheme: string, hasOneScheme: boolean): string {
  const id = toolkit.toLowerCase()
  return hasOneScheme && mayNameProvider(id) ? id : toScopedName(id, scheme.slice(0, MAX_NAME).toLowerCase(), '-')
}

/** Adds the toolkit's name, so that no description gets another's key for `api_key`, or users' tokens for Google. */
export function toScopedName(toolkit: string, scheme: string, separator: '_' | '-'): string {
  const [name, prefix] = [toIdentifier(scheme, separator), `${toolkit}${separator}`]
  return (name.toLowerCase().startsWith(prefix.toLowerCase()) ? name : `${prefix}${name}`).slice(0, MAX_NAME)
}

export function toIdentifier(text: string, separator: '_' | '-'): string {
  return trim(text.replaceAll(/[^A-Za-z0-9]+/g, separator), separator)
}

interface SchemeProviderOptions extends Omit<ImportedProvider, 'body'> {
  readonly toolkit: string
  readonly hasOneScheme: boolean
}

/** Only the toolkit's tools may use the provider, because others would get what people entered for this API. */
export function toSchemeProvider(
  { root }: Description,
  document: OpenApiNode,
  { id, kind, scheme, toolkit, hasOneScheme }: SchemeProviderOptions,
): ImportedProvider {
  const title = toLine(objectAt(root, 'info').title, 60) ?? id
  const shared = { name: hasOneScheme ? title : toLine(`${title} (${scheme})`, 100), tools: [`${toolkit}.*`] }
  if (kind === 'oauth2')
    return { id, kind, scheme, body: { ...shared, ...findEndpoints(document), client_id: 'CLIENT_ID' } }
  const help = toLine(document.description, 500)
  const { url } = objectAt(root, 'externalDocs')
  const link = typeof url === 'string' && isHelpUrl(url) ? { help_url: url } : {}
  return { id, kind, scheme, body: { kind, ...shared, ...(help === undefined ? {} : { help }), ...link } }
}

/** Returns only what the description contains, because its author does not know the client. */
function findEndpoints(scheme: OpenApiNode): Readonly<Record<string, string>> {
  const openIdUrl = textAt(scheme, 'openIdConnectUrl')
  if (openIdUrl?.endsWith(OPENID_PATH)) return { issuer: openIdUrl.slice(0, -OPENID_PATH.length) }
  const flow = scheme.flow === undefined ? objectAt(objectAt(scheme, 'flows'), 'authorizationCode') : scheme
  const [authorization, token] = [textAt(flow, 'authorizationUrl'), textAt(flow, 'tokenUrl')]
  return authorization && token ? { authorization_endpoint: authorization, token_endpoint: token } : {}
}

/** Cuts the text before searching it, because each operation repeats this. */
function toLine(text: unknown, maxCharacters: number): string | undefined {
  if (typeof text !== 'string') return undefined
  const line = text.slice(0, maxCharacters).replaceAll(/[\p{Cc}\s]+/gu, ' ')
  return line.trim().toWellFormed() || undefined
}
