import * as base64url from 'jose/base64url'
import { bytesOfHex, sha256, toHex } from './sha256.ts'

const ID = /^[\w-]{64}$/
const STATE = /^[\w-]{86}$/
const OBJECT_BYTES = 32
const ID_BYTES = 16
const STATE_BYTES = 32

/** Creates an id that begins with its object's id, so no table is needed. That is a keyed hash, so it reveals nothing. */
export function newAddressedId(object: DurableObjectId): string {
  return createAddressedId(object, randomBytes(ID_BYTES))
}

/** Creates the id that is always the same for this text. */
export async function hashAddressedId(object: DurableObjectId, text: string): Promise<string> {
  return createAddressedId(object, bytesOfHex(await sha256(text)).subarray(0, ID_BYTES))
}

/**
 * Creates a `state` (RFC 6749, section 10.12). It is not the id, because the provider and the browser's history see it, and
 * must not learn the page's link.
 */
export function newState(object: DurableObjectId): string {
  return createAddressedId(object, randomBytes(STATE_BYTES))
}

export function isState(text: string): boolean {
  return STATE.test(text)
}

function createAddressedId(object: DurableObjectId, end: Uint8Array): string {
  return base64url.encode(Uint8Array.of(...bytesOfHex(object.toString()), ...end))
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
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
