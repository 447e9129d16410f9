import type { Toolkit } from '../../core/access/toolkit.ts'
import { check, object, type Reader, string } from '../../core/tool/json-reader.ts'
import type { Checked } from '../../core/tool/problem.ts'

const PRINCIPAL = string({ least: 1, most: 300 })
const OWNER: Reader<string | null> = (value, report) => (value === null ? null : PRINCIPAL(value, report))
const BODY = object({ owner: OWNER })
const KEY = 'key:'

/** Reads `{"owner": …}`: the id of a key, `admin`, or `jwt:` and a subject; null gives the toolkit to the deployment. */
export function decodeOwner(body: unknown): Checked<{ readonly owner: string | null }> {
  return check(BODY, body)
}

/** The id of the principal that `owner` names: a key goes by its own id. */
export function principalNamed(owner: string): { readonly principal: string; readonly key?: string } {
  if (owner === 'admin' || owner.startsWith('jwt:')) return { principal: owner }
  const key = owner.startsWith(KEY) ? owner.slice(KEY.length) : owner
  return { principal: KEY + key, key }
}

/** `{toolkit, owner, bundled, untrusted}`; an owner of null is the deployment. */
export function encodeToolkit({ toolkit, owner, isBundled, untrusted }: Toolkit) {
  const principal = typeof owner === 'string' ? null : owner.principal
  const named = principal?.startsWith(KEY) ? principal.slice(KEY.length) : principal
  return { toolkit, owner: named, bundled: isBundled, untrusted }
}
