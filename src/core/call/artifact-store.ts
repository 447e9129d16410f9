import type { FailureResult } from '../failure/failure.ts'
import type { ByteStream } from '../tool/platform.ts'

export interface StorableContent {
  readonly content: { readonly text: string } | { readonly base64: string }
  readonly contentType: string
}

export interface ArtifactOwner {
  readonly callId: string
  readonly tool: string
  readonly principal: string
  readonly userId?: string | undefined
  /** A URL of this deployment as the caller reached it: links to it start with its origin. */
  readonly requestUrl: () => string
}

type PutArtifactResult =
  | { readonly ok: true; readonly url: string; readonly size: number; readonly expiresAt: string }
  | { readonly ok: false; readonly why: string; readonly forOperator?: string }

export interface ArtifactStore {
  put(what: StorableContent, owner: ArtifactOwner): Promise<PutArtifactResult>
  /** `forged`: the link was not given out like this; `missing`: its artifact was deleted. */
  open(link: ArtifactLink): Promise<StoredArtifact | 'forged' | 'expired' | 'missing'>
}

/** It `expires` in seconds since 1970. */
export type ArtifactLink = NonNullable<ReturnType<typeof parseArtifactLink>>

export interface StoredArtifact {
  readonly contentType: string
  readonly size: number
  readonly etag: string
  read(part?: { readonly offset: number; readonly length: number }): Promise<ByteStream | undefined>
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  base64(): Promise<string>
  /** In lower-case hex. */
  sha256(): Promise<string>
}

const LINK =
  /^https?:\/\/[^/?#\s]{1,300}\/artifacts\/(?<id>[\w-]{1,64})\?expires=(?<expires>\d{1,12})&signature=(?<signature>[\w-]{1,128})$/

/** Undefined for a text that is no link. Only its signature tells whose it is. */
export function parseArtifactLink(text: string) {
  const { id, expires, signature } = LINK.exec(text)?.groups ?? {}
  return id === undefined || expires === undefined || signature === undefined ? undefined : { id, expires, signature }
}

export type UploadOwner = Pick<ArtifactOwner, 'principal' | 'userId'>

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
  ): Promise<{ readonly ok: true; readonly id: string; readonly expires: number } | FailureResult>
  /** Undefined for another's id, an unknown one, and an expired file. */
  find(id: string, owner: UploadOwner): Promise<UploadedFile | undefined>
  remove(id: string, owner: UploadOwner): Promise<boolean>
}

const PREFIX = 'artifact:'

export function toFileHandle(id: string): string {
  return PREFIX + id
}

export function parseFileHandle(text: string): string | undefined {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : undefined
}
