import { createRedactor } from '../core/call/redact.ts'
import type { RunContext } from '../core/call/runner.ts'

/** A text that a tool wrote, without the secrets and tokens that its call was given, be it only while it ran. */
export function redacted(
  text: string,
  { secrets, tokens }: Pick<RunContext, 'secrets' | 'tokens'>,
  base64: (text: string) => string,
  renewed: readonly string[] = [],
): string {
  if (secrets.size === 0 && tokens.size === 0) return text
  const values = [...secrets.values(), ...tokens.values()].map(({ value }) => value)
  return createRedactor([...values, ...renewed], base64)?.text(text) ?? text
}
