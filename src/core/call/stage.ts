import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { ApprovalLooks, Approvals } from '../consent/authorization.ts'
import type { Span } from '../tool/platform.ts'
import type { Publisher, ToolRecord } from '../tool/tool.ts'
import type { Failing, Failure } from '../failure/failure.ts'
import type { FileStores, NamedFiles } from './files.ts'
import type { Fingerprint } from './invocation.ts'
import type { CallerContext, GrantLooks, UserTokens } from './requirements.ts'
import type { RunOptions } from './run.ts'

/** A step of a call that only some tools need, known when the tool is resolved. */
export interface Stage {
  readonly pass: (call: OpenCall, deps: StageDeps) => Failing | undefined | Promise<Failing | undefined>
  readonly look?: (tool: LookedAt, deps: LookDeps) => Failure | undefined | Promise<Failure | undefined>
}

/** Stages complete the invocation, each with another one in its place. */
export interface OpenCall extends RunOptions {
  readonly publisher: Publisher
  readonly context: CallerContext
  invocation: RunOptions['invocation']
  namedFiles?: NamedFiles
}

export interface StageDeps extends FileStores {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: UserTokens
  readonly approvals: Approvals
  readonly fingerprint: Fingerprint
  readonly span: Span
}

export interface LookedAt {
  readonly record: ToolRecord
  readonly publisher: Publisher
  readonly hosts: readonly string[] | undefined
  readonly userId: string | undefined
  readonly reachedAt: () => string
}

export interface LookDeps {
  readonly toolSecrets: ToolSecrets
  readonly grants: GrantLooks
  readonly approvals: ApprovalLooks
}
