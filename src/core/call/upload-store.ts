import type { ByteStream } from '../tool/platform.ts'
import type { StoredArtifact } from './artifact-store.ts'
import type { Failing } from '../failure/failure.ts'

/** Whose a file is: nobody else knows of it. */
export interface UploadOwner {
  readonly principal: string
  /** The user it was sent for, if for any: calls for others do not get it. */
  readonly userId?: string | undefined
}

export interface Upload {
  /** A media type, without parameters. */
  readonly contentType: string
  readonly filename?: string | undefined
  /** Bytes. */
  readonly size: number
  readonly body: ByteStream | null
}

/** A file that was sent, for calls that name it. */
export interface UploadedFile extends StoredArtifact {
  readonly filename: string | undefined
  /** Seconds since 1970. */
  readonly expires: number
}

/** Keeps files that callers send, so that no call has to carry them, for their owner alone, until they expire. */
export interface UploadStore {
  keep(
    upload: Upload,
    owner: UploadOwner,
  ): Promise<{ readonly ok: true; readonly id: string; readonly expires: number } | Failing>
  /** The owner's file of this id; undefined for any other id, and when it is over. */
  find(id: string, owner: UploadOwner): Promise<UploadedFile | undefined>
  /** Forgets a file; says whether there was one. */
  remove(id: string, owner: UploadOwner): Promise<boolean>
}

const PREFIX = 'artifact:'

export function handleOf(id: string): string {
  return PREFIX + id
}

/** The id of the file that a text names; undefined for any other text. */
export function readHandle(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined
}
