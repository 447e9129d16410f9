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
  /** The request's URL on this deployment, whose origin is used in links. */
  readonly requestUrl: () => string
}

type PutArtifactResult =
  | { readonly ok: true; readonly url: string; readonly size: number; readonly expiresAt: string }
  | { readonly ok: false; readonly why: string; readonly forOperator?: string }

export interface ArtifactStore {
  put(what: StorableContent, owner: ArtifactOwner): Promise<PutArtifactResult>
  /** `forged`: this link was not issued here; `missing`: its artifact was deleted. */
  open(link: ArtifactLink): Promise<StoredArtifact | 'forged' | 'expired' | 'missing'>
}

/** `expires` is in seconds since 1970. */
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

/** Parses a link, without checking its signature. Returns undefined for any other text. */
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
  /** Returns undefined for an unknown id, another owner's id, or an expired file. */
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
