import * as base64url from 'jose/base64url'
import { bytesOfHex, toHex } from './sha256.ts'

const ID = /^[\w-]{64}$/
const STATE = /^[\w-]{86}$/
const OBJECT_BYTES = 32
const ID_BYTES = OBJECT_BYTES + 16
const STATE_BYTES = OBJECT_BYTES + 32

/** Creates an id that begins with its object's id, so no table is needed. That is a keyed hash, so it reveals nothing. */
export function newAddressedId(object: DurableObjectId): string {
  return createAddressedId(object, ID_BYTES)
}

/**
 * Creates a `state` (RFC 6749, section 10.12). It is not the id, because the provider and the browser's history see it, and
 * must not learn the page's link.
 */
export function newState(object: DurableObjectId): string {
  return createAddressedId(object, STATE_BYTES)
}

export function isState(text: string): boolean {
  return STATE.test(text)
}

function createAddressedId(object: DurableObjectId, length: number): string {
  const bytes = new Uint8Array(length)
  bytes.set(bytesOfHex(object.toString()))
  crypto.getRandomValues(bytes.subarray(OBJECT_BYTES))
  return base64url.encode(bytes)
}

export function getObject<T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>, id: string) {
  if (!ID.test(id) && !isState(id)) return undefined
  try {
    return namespace.idFromString(toHex(base64url.decode(id).subarray(0, OBJECT_BYTES)))
  } catch {
    // The platform rejects ids that it did not create in this namespace
    return undefined
  }
}
