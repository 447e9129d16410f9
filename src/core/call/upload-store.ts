import type { ByteStream } from '../tool/platform.ts'
import type { StoredArtifact } from './artifact-store.ts'
import type { Failing } from '../failure/failure.ts'

export interface UploadOwner {
  readonly principal: string
  /** Calls for other users do not get it. */
  readonly userId?: string | undefined
}

export interface Upload {
  readonly contentType: string
  readonly filename?: string | undefined
  readonly size: number
  readonly body: ByteStream | null
}

export interface UploadedFile extends StoredArtifact {
  readonly filename: string | undefined
  /** Seconds since 1970. */
  readonly expires: number
}

export interface UploadStore {
  keep(
    upload: Upload,
    owner: UploadOwner,
  ): Promise<{ readonly ok: true; readonly id: string; readonly expires: number } | Failing>
  /** Undefined for another's id, an unknown one, and an expired file. */
  find(id: string, owner: UploadOwner): Promise<UploadedFile | undefined>
  remove(id: string, owner: UploadOwner): Promise<boolean>
}

const PREFIX = 'artifact:'

export function handleOf(id: string): string {
  return PREFIX + id
}

export function readHandle(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined
}
