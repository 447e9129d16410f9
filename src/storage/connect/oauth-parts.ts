/** The parts of the library that are used: an `import()` of the library itself would bring all of it. */
export { authorizationErrorRedirect, AuthorizationError, GrantType } from '@cloudflare/workers-oauth-provider'
export { OAuthAuthorizationServer, OAuthError } from '@cloudflare/workers-oauth-provider'
