import { type Failure, filterOpenChallenges } from '../../core/failure/failure.ts'
import type { AuthorizationChallenge } from '../../core/consent/authorization.ts'
import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'

export const URL_ELICITATION: JsonObject = { elicitation: { url: {} } }

/** An `elicitation` without `url` means forms, as it did before there were URLs. */
export function hasCapability(capabilities: JsonObject, required: JsonObject): boolean {
  return Object.entries(required).every(([name, parts]) => {
    const declaration = capabilities[name]
    if (!isJsonObject(declaration) || !isJsonObject(parts)) return false
    if (name === 'elicitation' && 'form' in parts && !('url' in declaration)) return true
    return Object.keys(parts).every((part) => isJsonObject(declaration[part]))
  })
}

export function toUrlElicitations(failure: Failure): readonly ReturnType<typeof createUrlElicitation>[] {
  if (failure.type === 'approval-required')
    return [createUrlElicitation(failure.challenge, `Approve this call of '${failure.id}'`)]
  if (failure.type !== 'requirements-missing') return []
  const { tool, authorization, secrets } = failure
  // No link helps while something else is missing
  if (secrets.length > 0 || filterOpenChallenges(failure).length < authorization.length) return []
  return authorization.map((challenge) =>
    createUrlElicitation(challenge, `Authorize '${challenge.id}' so that '${tool}' can go on`),
  )
}

function createUrlElicitation(challenge: AuthorizationChallenge, message: string) {
  return { challenge, params: { mode: 'url', message, url: challenge.url } }
}
