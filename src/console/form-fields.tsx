import type { Guard } from '../core/access/guard.ts'
import type { CallLimits } from '../core/access/limits.ts'
import { exact } from './parts.tsx'

/** Words that stand with spaces or commas between them. */
export function wordsOf(text: string | null): string[] {
  return (text ?? '').split(/[\s,]+/).filter((each) => each !== '')
}

/** What is no number the route says is none. */
export function numberOf(text: string): number | string {
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

/** The fields of a form that are not empty, by their names, as numbers. */
export function numbersOf(form: URLSearchParams, ...names: readonly string[]): Record<string, number | string> {
  const said = names.map((name): [string, string] => [name, form.get(name)?.trim() ?? ''])
  return Object.fromEntries(said.filter(([, text]) => text !== '').map(([name, text]) => [name, numberOf(text)]))
}

/** `limits` as a form says them; absent where it says none. */
export function limitsOf(form: URLSearchParams): { readonly limits?: object } {
  const rate = numbersOf(form, 'calls', 'seconds')
  const limits = { ...(Object.keys(rate).length === 0 ? {} : { rate }), ...numbersOf(form, 'concurrency') }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

/** Limits as the fields of a form. */
export function writtenLimits({ rate, concurrency }: CallLimits = {}): Readonly<
  Record<(typeof LIMITS)[number], string>
> {
  const text = (number: number | undefined) => (number === undefined ? '' : String(number))
  return { calls: text(rate?.calls), seconds: text(rate?.seconds), concurrency: text(concurrency) }
}

export const LIMITS = ['calls', 'seconds', 'concurrency'] as const

interface LimitFieldsProps {
  /** What they are limits of. */
  readonly title: string
  readonly calls: string
  readonly seconds: string
  readonly concurrency: string
}

export function LimitFields({ title, calls, seconds, concurrency }: LimitFieldsProps) {
  return (
    <fieldset class="pair">
      <legend>{title}</legend>
      <label>
        So many times
        <input name="calls" inputmode="numeric" value={exact(calls)} autocomplete="off" />
      </label>
      <label>
        in so many seconds
        <input name="seconds" inputmode="numeric" value={exact(seconds)} autocomplete="off" />
      </label>
      <label>
        So many at a time
        <input name="concurrency" inputmode="numeric" value={exact(concurrency)} autocomplete="off" />
      </label>
    </fieldset>
  )
}

/** What is asked of calls as a form says it: `security_level` and `approval`. */
export function guardOf(form: URLSearchParams): object {
  return {
    ...numbersOf(form, 'security_level'),
    ...(form.get('approval') === '1' ? { approval: true } : {}),
  }
}

export function writtenGuard({ security_level, approval }: Guard): { security_level: string; approval: string } {
  return {
    security_level: security_level === undefined ? '' : String(security_level),
    approval: approval ? '1' : '',
  }
}

export function GuardFields({ security_level, approval }: { security_level: string; approval: string }) {
  return (
    <>
      <label>
        Security level, at least{' '}
        <span class="note">from 4 a key must name the tool; from 8 a person approves each call</span>
        <select name="security_level">
          <option value="">as they say</option>
          {Array.from({ length: 10 }, (_, index) => String(index + 1)).map((level) => (
            <option value={level} selected={level === security_level}>
              {level}
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input type="checkbox" name="approval" value="1" checked={approval !== ''} />
        <span>A person approves each call, whatever the level</span>
      </label>
    </>
  )
}
