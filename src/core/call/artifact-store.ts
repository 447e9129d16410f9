import type { ByteStream } from '../tool/platform.ts'

export interface Keepable {
  readonly content: { readonly text: string } | { readonly base64: string }
  /** A media type, without parameters. */
  readonly contentType: string
}

/** The call that gave something, and for whom. */
export interface ArtifactOwner {
  readonly callId: string
  readonly tool: string
  readonly principal: string
  readonly userId?: string | undefined
  /** A URL of this deployment as the caller reached it: links to it start with its origin. */
  readonly reachedAt: () => string
}

/** Where something lies that was kept, or why it was not. */
export type Kept =
  | { readonly ok: true; readonly url: string; readonly size: number; readonly expiresAt: string }
  /** `forOperator`: why, with what whoever runs the deployment has to set up. */
  | { readonly ok: false; readonly why: string; readonly forOperator?: string }

/** Keeps what is too large for an answer, for whoever has the link, until it expires. */
export interface ArtifactStore {
  keep(what: Keepable, owner: ArtifactOwner): Promise<Kept>
  /** The artifact of a link, or why there is none: the link was not given out so, has expired, or its artifact was deleted. */
  open(link: ArtifactLink): Promise<StoredArtifact | 'forged' | 'expired' | 'missing'>
}

/** The parts of a link, as a URL has them. */
export interface ArtifactLink {
  readonly id: string
  /** Seconds since 1970. */
  readonly expires: string
  readonly signature: string
}

export interface StoredArtifact {
  readonly contentType: string
  /** Bytes. */
  readonly size: number
  /** A strong entity tag, with its quotes. */
  readonly etag: string
  /** Its bytes, or a part of them; undefined when it was deleted meanwhile. */
  read(part?: { readonly offset: number; readonly length: number }): Promise<ByteStream | undefined>
  /** All of its bytes, as they are and in Base64. Both reject when it was deleted meanwhile. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  base64(): Promise<string>
}

const LINK =
  /^https?:\/\/[^/?#\s]{1,300}\/artifacts\/(?<id>[\w-]{1,64})\?expires=(?<expires>\d{1,12})&signature=(?<signature>[\w-]{1,128})$/

/** The parts of a text that is a link as it is given out; undefined for any other. Its signature alone says whose it is. */
export function readLink(text: string): ArtifactLink | undefined {
  const { id, expires, signature } = LINK.exec(text)?.groups ?? {}
  return id === undefined || expires === undefined || signature === undefined ? undefined : { id, expires, signature }
}
