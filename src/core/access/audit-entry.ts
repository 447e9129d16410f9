import type { WaitUntil } from '../tool/platform.ts'
import type { JsonObject } from '../tool/json.ts'

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const AUDIT_ACTIONS = [
  'access.end',
  'agent.connect',
  'agent.end',
  'agent.refuse',
  'approval.approve',
  'approval.refuse',
  'authorization.confirm',
  'call.cancel',
  'client.create',
  'client.remove',
  'grant.give',
  'grant.refuse',
  'grant.revoke',
  'connection.begin',
  'connection.check',
  'event-source.put',
  'event-source.remove',
  'key.change',
  'key.create',
  'key.remove',
  'key.rotate',
  'lock.put',
  'lock.remove',
  'policy.put',
  'policy.remove',
  'provider.put',
  'provider.remove',
  'refusal',
  'registry.export',
  'registry.import',
  'registry.imported',
  'scim.put',
  'scim.remove',
  'session.begin',
  'session.end',
  'skill.change',
  'skill.put',
  'subscription.put',
  'subscription.remove',
  'subscription.resend',
  'tool.change',
  'toolkit.change',
  'toolkit.compare',
  'toolkit.give',
  'toolkit.remove',
  'toolset.approve',
  'toolset.put',
  'toolset.reject',
  'toolset.remove',
  'tools.import',
  'tools.publish',
] as const

/** A recorded administrative action or denial. It never contains a body, a secret or a token. */
export interface AuditEvent {
  readonly at: number
  readonly act: AuditAction
  readonly principal?: string | undefined
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly method: string
  readonly path: string
  readonly outcome: string
  readonly status: number
  readonly address?: string | undefined
  readonly about?: JsonObject | undefined
}

export type WriteAuditEvent = (event: AuditEvent, background: WaitUntil) => void

export interface RecordFilter {
  /** Milliseconds since 1970; `until` is exclusive. */
  readonly since: number
  readonly until: number
  readonly principal?: string
  readonly user_id?: string
  readonly outcome?: string
}

export interface AuditFilter extends RecordFilter {
  readonly act?: AuditAction
}
