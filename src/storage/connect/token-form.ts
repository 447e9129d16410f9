export function readCredential(form: URLSearchParams): string {
  const grant = form.get('grant_type')
  const name = grant === 'refresh_token' ? 'refresh_token' : grant === null ? 'token' : 'code'
  return form.get(name) ?? ''
}

/** The library's codes and tokens begin with the id of their agent. */
export function readAgentId(credential: string): string {
  return credential.slice(0, Math.max(0, credential.indexOf(':')))
}
