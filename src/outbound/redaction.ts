import { createRedactor, type Redactor } from '../core/call/redact.ts'
import { base64 } from './base64.ts'

export type Redact = (text: string) => string

/** Loads secrets on first use, because few calls have any. */
export function createLazyRedact(secrets: () => readonly string[]): Redact {
  let cachedRedactor: { readonly redactor: Redactor | undefined } | undefined
  return (text) => {
    cachedRedactor ??= { redactor: createRedactor(secrets(), base64) }
    return cachedRedactor.redactor?.text(text) ?? text
  }
}
