import { AUTH_METHODS } from '../../core/access/oauth-client.ts'
import { also, list, object, oneOf, optional, string, text } from '../../core/tool/json-reader.ts'

const WANTED = "an https URL, or http on a loopback host, without a fragment: such as 'https://agent.example/callback'"
export const CLIENT = object({
  name: string({ least: 1, most: 100 }),
  redirect_uris: list(also(string({ most: 2_000 }), text(WANTED, isRedirectUri)), { least: 1, most: 20 }),
  token_endpoint_auth_method: optional(oneOf(AUTH_METHODS), 'none'),
})

function isRedirectUri(uri: string): boolean {
  const parts = /^(https?):\/\/([^/?#@\\\s]+)(?:[/?][^#\\\s]*)?$/.exec(uri)
  if (!parts) return false
  const [, scheme, authority = ''] = parts
  return scheme === 'https' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/.test(authority)
}
