import type { ToolkitConsent } from '../../core/consent/authorization.ts'
import type { StoredConnection } from '../../core/consent/connection.ts'
import type { StoredGrant } from './grant-rows.ts'

export function toConnection(grant: StoredGrant, toolkits: readonly ToolkitConsent[], now: number): StoredConnection {
  const { provider, account, scopes, lost, expires_at, used_at, refused_at, refusal } = grant
  const isRefreshable = grant.refreshable === 1
  const isOver = expires_at !== null && expires_at <= now && !isRefreshable
  const reason = lost ?? (isOver ? formatEndedAccess(provider) : refusal)
  const usedState = used_at === null ? 'unknown' : 'working'
  const liveState = refusal === null ? usedState : 'refused'
  return {
    provider,
    account,
    scopes,
    toolkits,
    granted_at: toTime(grant.granted_at),
    ...(expires_at === null ? {} : { expires_at: toTime(expires_at) }),
    refreshable: isRefreshable,
    state: lost !== null || isOver ? 'ended' : liveState,
    isLost: lost !== null,
    ...(used_at === null ? {} : { last_used_at: toTime(used_at) }),
    ...(refused_at === null ? {} : { last_refused_at: toTime(refused_at) }),
    ...(reason === null ? {} : { reason }),
  }
}

export function formatEndedAccess(provider: string): string {
  return `The user's access to '${provider}' has ended or was revoked, and cannot be renewed`
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
