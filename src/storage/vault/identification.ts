import type { Stopped, Visit } from '../../core/consent/authorization.ts'
import type { StoredAuthorization } from './authorization-rows.ts'
import type { BrowserFlows } from './browser-flows.ts'
import type { VaultDeployment } from './grants.ts'
import { OWN_CALL, SIGN_IN_FIRST, SOMEBODY_ELSE } from './stopped.ts'

type AskedAuthorization = Pick<StoredAuthorization, 'id' | 'kind' | 'userId' | 'principal'>

/** `ask`: at the verifier. Without sign-in and verifier, anybody with the link counts as the user. */
export function createIdentification(
  deployment: Pick<VaultDeployment, 'verifierUrl' | 'signsIn' | 'approvesByKey'>,
  flows: Pick<BrowserFlows, 'find'>,
) {
  const { verifierUrl } = deployment
  return (
    authorization: AskedAuthorization,
    { browser, person }: Pick<Visit, 'browser' | 'person'>,
  ): 'known' | 'ask' | Stopped => {
    const signsIn = signsInFor(deployment, authorization)
    const refusal = signsIn ? refusalOf(authorization, person) : undefined
    if (signsIn && !refusal) return 'known'
    if (verifierUrl !== undefined) return flows.find(authorization.id, browser)?.stage === 'proven' ? 'known' : 'ask'
    return refusal ?? 'known'
  }
}

export function signsInFor(
  { signsIn = false, approvesByKey = false }: Pick<VaultDeployment, 'signsIn' | 'approvesByKey'>,
  { kind }: Pick<StoredAuthorization, 'kind'>,
): boolean {
  return signsIn || (approvesByKey && kind === 'approval')
}

function refusalOf({ kind, userId, principal }: AskedAuthorization, person: Visit['person']): Stopped | undefined {
  if (!person) return SIGN_IN_FIRST
  if (kind === 'approval' && person.principal === principal) return OWN_CALL
  const isUser = userId !== undefined && person.user === userId
  return isUser || (kind === 'approval' && person.approves) ? undefined : SOMEBODY_ELSE
}
