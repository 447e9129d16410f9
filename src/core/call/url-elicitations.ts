import type { AuthorizationChallenge } from '../consent/authorization.ts'
import { type Failure, filterOpenChallenges } from '../failure/failure.ts'
import { isJsonObject, type Json } from '../tool/json.ts'

/** Returns the links that a person must open before the call can continue; none if something else is missing too. */
export function toUrlElicitations(failure: Failure): readonly ReturnType<typeof createUrlElicitation>[] {
  if (failure.type === 'approval-required')
    return [createUrlElicitation(failure.challenge, `Approve this call of '${failure.id}'`)]
  if (failure.type !== 'requirements-missing') return []
  const { tool, authorization, secrets } = failure
  // A link does not help while something else is missing
  if (secrets.length > 0 || filterOpenChallenges(failure).length < authorization.length) return []
  return authorization.map((challenge) =>
    createUrlElicitation(challenge, `Authorize '${challenge.id}' so that '${tool}' can continue`),
  )
}

function createUrlElicitation(challenge: AuthorizationChallenge, message: string) {
  const params = { mode: 'url', message, url: challenge.url }
  return { key: `authorization:${challenge.id}`, challenge, request: { method: 'elicitation/create', params } }
}

export function isDeclined(response: Json | undefined): boolean {
  return isJsonObject(response) && (response.action === 'decline' || response.action === 'cancel')
}
