import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { Approvals } from '../consent/authorization.ts'
import type { FailureResult } from '../failure/failure.ts'
import type { Publisher } from '../tool/tool.ts'
import type { Signal } from '../tool/platform.ts'
import type { FileRefs, FileStores } from './files.ts'
import type { Fingerprint } from './invocation.ts'
import type { CallContext } from './requirements.ts'
import type { RunDeps, RunOptions } from './run.ts'

/**
 * The part of a call's state that the stages between authorization and the tool's run use. The tool receives `invocation`: a
 * stage that adds to it (credentials, files) sets a new invocation, since an approval is bound to one.
 */
export interface StageInput extends RunOptions {
  readonly publisher: Publisher
  readonly context: CallContext
  invocation: RunOptions['invocation']
  /** The files that the input refers to, before their contents are read. */
  fileRefs?: FileRefs
  /** Registers the function that releases the files' memory when the call ends. */
  readonly deferFileRelease: (release: () => void) => void
}

/** Reserves memory for files, in bytes, from the principal's share. Returns undefined if none is free in time. */
export type HoldFiles = (principal: string, bytes: number, signal: Signal) => Promise<(() => void) | undefined>

export interface StageDeps extends FileStores, Pick<RunDeps, 'span' | 'userTokens'> {
  readonly toolSecrets: ToolSecrets
  readonly approvals: Approvals
  readonly fingerprint: Fingerprint
  readonly holdFiles: HoldFiles
}

/** A stage of a call that only some tools have, known when the tool is resolved. A failure ends the call. */
export type Stage = (
  call: StageInput,
  deps: StageDeps,
) => FailureResult | undefined | Promise<FailureResult | undefined>
