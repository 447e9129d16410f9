export function readCredential(form: URLSearchParams): string {
  const grant = form.get('grant_type')
  const name = grant === 'refresh_token' ? 'refresh_token' : grant === null ? 'token' : 'code'
  return form.get(name) ?? ''
}

/** Returns the id of the agent, with which the library's codes and tokens begin. */
export function readAgentId(credential: string): string {
  return credential.slice(0, Math.max(0, credential.indexOf(':')))
}
