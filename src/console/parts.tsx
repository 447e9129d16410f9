import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { RouteFailure } from './page.ts'

/** What a page says first: how something ended, or what is wrong. */
export function Notice({ isProblem = false, children }: { isProblem?: boolean; children?: Child }) {
  return (
    <div class={isProblem ? 'notice problem' : 'notice'} role={isProblem ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** A failure of a request, with all that is wrong. */
export function FailureNotice({ failure }: { failure: RouteFailure }) {
  return (
    <Notice isProblem>
      <p>
        <strong>{failure.message}.</strong>
        {failure.detail === undefined ? undefined : ` ${failure.detail}.`}
      </p>
      {failure.problems.length === 0 ? undefined : (
        <ul>
          {failure.problems.map(({ path, message }) => (
            <li>
              {path === '' ? undefined : <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}

/** A tool's name: where it is too long for its line it breaks behind the toolkit. */
export function ToolName({ name }: { name: string }) {
  const [toolkit, ...rest] = name.split('.')
  if (rest.length === 0) return <>{name}</>
  return (
    <>
      {toolkit}.<wbr />
      {rest.join('.')}
    </>
  )
}

/** A moment, in UTC; `isExact` to the second. Where scripts run it says too what the clock said where it is read. */
export function Time({ at, isExact = false }: { at: string; isExact?: boolean }) {
  return <time datetime={at}>{at.slice(0, isExact ? 19 : 16).replace('T', ' ')} UTC</time>
}

/** How something ended that was asked for: `success`, or what went wrong. */
export function OutcomeWord({ outcome }: { outcome: string }) {
  return outcome === 'success' ? <>{outcome}</> : <span class="failed">{outcome}</span>
}

/** Where what comes while a page is sent is put. No text can say it, since every `<` of a text is escaped. */
export const LIVE_PLACE = '<!-- live -->'

export function LivePlace() {
  return raw(LIVE_PLACE)
}

/** A text to copy, with a button for it where scripts run. */
export function Copyable({ text, label }: { text: string; label?: string }) {
  return (
    <div class="copyable">
      {label === undefined ? undefined : <p class="note">{label}</p>}
      <pre>{text}</pre>
    </div>
  )
}

/**
 * The value of a field that must come back as it is: also what cannot be seen, which texts that are shown have spelled out, is
 * written so that a browser reads the same characters.
 */
export function exact(value: string) {
  return raw(
    value
      .toWellFormed()
      .replaceAll(
        /[^\x20\x21\x23-\x25\x28-\x3b=\x3f-\x7e]/gu,
        (character) => `&#${character.codePointAt(0) ?? 0xfffd};`,
      ),
  )
}
