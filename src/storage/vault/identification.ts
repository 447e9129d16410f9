import type { FlowError, Visit } from '../../core/consent/authorization.ts'
import type { StoredAuthorization } from './authorization-rows.ts'
import type { BrowserFlows } from './browser-flows.ts'
import type { VaultDeployment } from './grants.ts'
import { OWN_CALL, SIGN_IN_FIRST, WRONG_PERSON } from './flow-errors.ts'

type IdentifiedAuthorization = Pick<StoredAuthorization, 'id' | 'kind' | 'userId' | 'principal'>

/** `needs-verification`: at the verifier. Without sign-in and verifier, anybody with the link counts as the user. */
export function createPersonCheck(
  deployment: Pick<VaultDeployment, 'verifierUrl' | 'hasOpenIdSignIn' | 'approvesByKey'>,
  flows: Pick<BrowserFlows, 'find'>,
) {
  const { verifierUrl } = deployment
  return (
    authorization: IdentifiedAuthorization,
    { browser, person }: Pick<Visit, 'browser' | 'person'>,
  ): 'identified' | 'needs-verification' | FlowError => {
    const needsSignIn = needsSignInFor(deployment, authorization)
    const refusal = needsSignIn ? findDenial(authorization, person) : undefined
    if (needsSignIn && !refusal) return 'identified'
    if (verifierUrl !== undefined)
      return flows.find(authorization.id, browser)?.stage === 'proven' ? 'identified' : 'needs-verification'
    return refusal ?? 'identified'
  }
}

export function needsSignInFor(
  { hasOpenIdSignIn = false, approvesByKey = false }: Pick<VaultDeployment, 'hasOpenIdSignIn' | 'approvesByKey'>,
  { kind }: Pick<StoredAuthorization, 'kind'>,
): boolean {
  return hasOpenIdSignIn || (approvesByKey && kind === 'approval')
}

function findDenial(
  { kind, userId, principal }: IdentifiedAuthorization,
  person: Visit['person'],
): FlowError | undefined {
  if (!person) return SIGN_IN_FIRST
  if (kind === 'approval' && person.principal === principal) return OWN_CALL
  const isUser = userId !== undefined && person.user === userId
  return isUser || (kind === 'approval' && person.approves) ? undefined : WRONG_PERSON
}
