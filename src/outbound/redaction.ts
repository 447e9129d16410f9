import { createRedactor, type Redactor } from '../core/call/redact.ts'
import { base64 } from './base64.ts'

export type Redact = (text: string) => string

/** Loads secrets on first use, because few calls have any. */
export function createLazyRedact(secrets: () => readonly string[]): Redact {
  let cached: { readonly redactor: Redactor | undefined } | undefined
  return (text) => {
    cached ??= { redactor: createRedactor(secrets(), base64) }
    return cached.redactor?.text(text) ?? text
  }
}
