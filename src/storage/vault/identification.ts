import { type FlowError, needsSignIn } from '../../core/consent/authorization.ts'
import type { StoredAuthorization } from './authorization-rows.ts'
import type { BrowserFlows, VaultVisit } from './browser-flows.ts'
import type { VaultDeployment } from './grants.ts'
import { OWN_CALL, SIGN_IN_FIRST, WRONG_PERSON } from './flow-errors.ts'

type IdentifiedAuthorization = Pick<StoredAuthorization, 'id' | 'kind' | 'userId' | 'principal'>

export type PersonIdentity =
  | { readonly kind: 'identified' }
  /** Only the verifier of users can identify the person. */
  | { readonly kind: 'needs-verification'; readonly verifierUrl: string }
  /** Only if people sign in. */
  | { readonly kind: 'denied'; readonly error: FlowError }

/**
 * Checks whether the person of a visit may decide. The first case that applies:
 *
 * | case                                                        | result             |
 * | ----------------------------------------------------------- | ------------------ |
 * | people sign in, and this person may decide                  | identified         |
 * | people sign in, and this person made the call               | denied             |
 * | the verifier has confirmed the person of this browser       | identified         |
 * | there is a verifier                                         | needs verification |
 * | people sign in                                              | denied             |
 * | otherwise: anyone with the link counts as the user          | identified         |
 */
export function createPersonCheck(
  { verifierUrl, signInMethod }: Pick<VaultDeployment, 'verifierUrl' | 'signInMethod'>,
  flows: Pick<BrowserFlows, 'find'>,
) {
  return (
    authorization: IdentifiedAuthorization,
    { browserHash, person }: Pick<VaultVisit, 'browserHash' | 'person'>,
  ): PersonIdentity => {
    const maySignIn = needsSignIn(signInMethod, authorization.kind)
    const error = maySignIn ? findDenial(authorization, person) : undefined
    if (maySignIn && !error) return { kind: 'identified' }
    if (verifierUrl !== undefined && error !== OWN_CALL) {
      const isProven = flows.find(authorization.id, browserHash)?.stage === 'proven'
      return isProven ? { kind: 'identified' } : { kind: 'needs-verification', verifierUrl }
    }
    return error ? { kind: 'denied', error } : { kind: 'identified' }
  }
}

function findDenial(
  { kind, userId, principal }: IdentifiedAuthorization,
  person: VaultVisit['person'],
): FlowError | undefined {
  if (!person) return SIGN_IN_FIRST
  if (kind === 'approval' && person.principal === principal) return OWN_CALL
  const isUser = userId !== undefined && person.user === userId
  return isUser || (kind === 'approval' && person.approves) ? undefined : WRONG_PERSON
}
