/** The parts of the library that are used: an `import()` of the library itself would bring all of it. */
export {
  authorizationErrorRedirect,
  AuthorizationError,
  GrantType,
  OAuthAuthorizationServer,
  OAuthError,
} from '@cloudflare/workers-oauth-provider'
