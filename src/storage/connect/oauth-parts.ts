/** Of the library what is used: all of it would come with an `import()` of its own. */
export {
  authorizationErrorRedirect,
  AuthorizationError,
  GrantType,
  OAuthAuthorizationServer,
  OAuthError,
} from '@cloudflare/workers-oauth-provider'
