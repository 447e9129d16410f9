import type { Fingerprint } from '../../core/call/invocation.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Signer } from './deployment-keys.ts'

/** HMAC-SHA-256 under the deployment's secret, so that a short secret in the value cannot be guessed from what is stored. */
export function createFingerprint({ sign }: Pick<Signer, 'sign'>): Fingerprint {
  return (value) => sign(canonicalText(value))
}

/** Writes a JSON value with sorted properties. Unlike RFC 8785, it accepts any text. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => (value[name] === undefined ? [] : [`${JSON.stringify(name)}:${canonicalText(value[name])}`]))
  return `{${members.join(',')}}`
}
