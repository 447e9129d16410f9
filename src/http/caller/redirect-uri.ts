import { isLoopback } from '../../core/tool/loopback.ts'
import { isSecureOrigin } from './loopback.ts'

export const REDIRECT_URI_FORM =
  "an https URL, http on a loopback host, or a private-use scheme of an app, without a fragment: such as 'https://agent.example/callback'"

/** ASCII without spaces, a fragment or a backslash. Without the slash, each scheme would interpret the rest its own way. */
const URI = /^[a-z][a-z\d+.-]*:\/[!-"$-[\]-~]*$/i
/** Schemes with a known meaning, whose content browsers and systems run, open or send. */
const PUBLIC_SCHEMES =
  /^(?:https?|wss?|ftps?|sftp|ssh|telnet|ldaps?|smb|nfs|dav|webcal|feed|gopher|irc|news|nntp|jar|javascript|vbscript|livescript|data|file|filesystem|blob|about|view-source|intent|content|android-app|market|resource|shell|search|res|mk|mhtml|hcp|mailto|tel|sms|mms|urn|cid|mid|facetime|(?:ms|chrome|moz|itms|x-apple)-[^:]*|chrome|edge|itms|search-ms):$/

/**
 * Whether an authorization code may be sent to the URI: https, http on a loopback host, or an app's private-use scheme
 * (RFC 8252, sections 7.1 to 7.3), without userinfo or fragment. Schemes need no period, because Cursor's has none.
 */
export function isRedirectUri(uri: string): boolean {
  const url = URI.test(uri) ? URL.parse(uri) : null
  if (!url || url.username + url.password !== '') return false
  return isSecureOrigin(url) || isPrivateUse(url)
}

/** Formats the target for people. */
export function formatRedirectTarget(url: URL): string {
  return isPrivateUse(url) ? `${url.protocol}//${url.host}` : url.host
}

/** Any app can claim the scheme. Loopback hosts are rejected, because the port may differ from the registered one. */
export function isPrivateUse({ protocol, hostname }: URL): boolean {
  return !PUBLIC_SCHEMES.test(protocol) && !isLoopback(hostname.toLowerCase())
}
