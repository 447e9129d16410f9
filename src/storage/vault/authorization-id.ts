import { base64url } from 'jose'
import { bytesOfHex, hexOf } from '../sealing/hex.ts'

const ID = /^[\w-]{64}$/
const STATE = /^[\w-]{86}$/
const OBJECT_BYTES = 32
const ID_BYTES = OBJECT_BYTES + 16
const STATE_BYTES = OBJECT_BYTES + 32

/**
 * Base64url of the 32 bytes of the Durable Object's id and 128 random bits. It leads to its vault without a table, and
 * says nothing of the user, of whose name the object's id is a keyed hash.
 */
export function newAuthorizationId(object: DurableObjectId): string {
  return addressed(object, ID_BYTES)
}

/**
 * A `state` (RFC 6749, section 10.12): the bytes of the Durable Object's id and 256 random bits. It differs from the
 * authorization's id, since provider and browser history see it and must not learn the page's link.
 */
export function newState(object: DurableObjectId): string {
  return addressed(object, STATE_BYTES)
}

export function isState(text: string): boolean {
  return STATE.test(text)
}

function addressed(object: DurableObjectId, length: number): string {
  const bytes = new Uint8Array(length)
  bytes.set(bytesOfHex(object.toString()))
  crypto.getRandomValues(bytes.subarray(OBJECT_BYTES))
  return base64url.encode(bytes)
}

/** Undefined for a made-up id. */
export function objectOf<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  id: string,
): DurableObjectId | undefined {
  if (!ID.test(id) && !isState(id)) return undefined
  try {
    return namespace.idFromString(hexOf(base64url.decode(id).subarray(0, OBJECT_BYTES)))
  } catch {
    // The platform knows which ids it gave out in this namespace
    return undefined
  }
}
