/** What a request to the token endpoint is about: a refresh token, a code, or a token to revoke, by what it asks for alone. */
export function credentialOf(form: URLSearchParams): string {
  const grant = form.get('grant_type')
  const name = grant === 'refresh_token' ? 'refresh_token' : grant === null ? 'token' : 'code'
  return form.get(name) ?? ''
}

/** The agent that a code or token is of, as it says itself. */
export function agentOf(credential: string): string {
  return credential.slice(0, Math.max(0, credential.indexOf(':')))
}
