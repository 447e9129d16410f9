import { Copyable, Row } from '../http/page/rows.tsx'
import { classifyOutcome } from '../core/call/call-record.ts'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Reply, RouteFailure, View } from './page-context.ts'
import { Markdown } from './markdown.tsx'

export function Notice({ isProblem = false, children }: { isProblem?: boolean; children?: Child }) {
  return (
    <div class={isProblem ? 'notice problem' : 'notice'} role={isProblem ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

interface FailureNoticeProps {
  readonly failure: RouteFailure
  /** Shows where a problem is, with the labels of the form that failed. */
  readonly renderPath?: (path: string) => Child
}

export function FailureNotice({ failure, renderPath = (path) => <code>{path}</code> }: FailureNoticeProps) {
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
              {path === '' ? undefined : renderPath(path)} {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}

/** Creates a page for a failure, with an alternative. */
export function toFailureView(title: string, { failure, ...notice }: FailureNoticeProps, fallback: JSX.Element): View {
  const content = (
    <>
      <FailureNotice failure={failure} {...notice} />
      {fallback}
    </>
  )
  return { title, status: failure.status, content }
}

export function toReplyView<T>(reply: Reply<T>, show: (value: T) => Child): Child {
  return reply.ok ? show(reply.value) : <FailureNotice failure={reply.failure} />
}

/** Lets a long name break after its toolkit. */
export function ToolNameLabel({ name }: { name: string }) {
  return <>{name.split(/(?<=^[^.]*\.)/).flatMap((part, index) => (index === 0 ? part : [<wbr />, part]))}</>
}

interface TimeProps {
  readonly at: string
  /** `second` includes seconds; `ago` becomes "3 minutes ago" once a script has run. */
  readonly format?: 'second' | 'ago'
}

/** Shows a time in UTC, to the minute by default. A script changes it to the reader's time zone. */
export function Time({ at, format }: TimeProps) {
  return (
    <time datetime={at} data-format={format}>
      {at.slice(0, format ? 19 : 16).replace('T', ' ')} UTC
    </time>
  )
}

/** Formats a code as words: `tool-timed-out` is "Tool timed out", `expires_at` is "Expires". */
export function formatCode(code: string): string {
  return (code.charAt(0).toUpperCase() + code.slice(1))
    .replaceAll(/[-_]/g, ' ')
    .replace(/^(?:id|url)\b| (?:id|url)$/i, (word) => word.toUpperCase())
    .replace(/ ms$/, ' (ms)')
    .replace(/ at$/, '')
}

/** Shows an outcome in words; its tooltip is the code that the API and the guides use. */
export function OutcomeWord({ outcome }: { outcome: string }) {
  const outcomeClass = classifyOutcome(outcome)
  return (
    <span class={`outcome ${outcomeClass}`} title={outcome}>
      {outcomeClass === 'waiting' ? `Waits for ${outcome.replace('-required', '')}` : formatCode(outcome)}
    </span>
  )
}

interface Chip {
  readonly text: string
  readonly href: string
  readonly isCurrent?: boolean
}

export function Chips({ label, chips }: { label: string; chips: readonly Chip[] }) {
  return (
    <ul class="chips" aria-label={label}>
      {chips.map(({ text, href, isCurrent = false }) => (
        <li>
          <a class="chip" href={href} aria-current={isCurrent ? 'true' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}

export function NextLink({ href, label }: { href: string; label: string }) {
  return (
    <p>
      <a class="button" rel="next" href={href}>
        {label}
      </a>
    </p>
  )
}

export function Facts({ facts }: { facts: Readonly<Record<string, Child>> }) {
  return (
    <dl>
      {Object.entries(facts).map(([name, value]) => (
        <Row term={name} content={value} />
      ))}
    </dl>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly note?: string
  readonly name: string
  readonly type?: 'date'
  readonly value?: string | undefined
  readonly maxlength?: number
  readonly autocomplete?: 'off'
  /** The id of a `datalist` with suggestions. */
  readonly list?: string
  readonly required?: boolean
}

export function TextField({ label, note, value = '', ...attributes }: TextFieldProps) {
  return (
    <label>
      {label} {note && <span class="note">{note}</span>}
      <input {...attributes} value={exact(value)} />
    </label>
  )
}

export interface Option {
  readonly value: string
  readonly text: string
}

interface SelectProps {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly value?: string | undefined
}

/** A value that is not an option, such as one from an older link, is added as one. */
export function Select({ label, name, options, value = '' }: SelectProps) {
  const isOption = options.some((option) => option.value === value)
  return (
    <label>
      {label}
      <select name={name}>
        {(isOption ? options : [...options, { value, text: value }]).map((option) => (
          <option value={exact(option.value)} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  )
}

export interface ConfirmFormProps {
  /** Unique on the page. */
  readonly id: string
  readonly label: string
  /** The label with the name of the item that it changes, if the label lacks it. */
  readonly name?: string
  readonly question: string
  readonly action?: string
  readonly children?: Child
}

/** A button for a dangerous change, which a dialog confirms. The dialog is a popover, which needs no script. */
export function ConfirmForm({ id, label, name = label, question, action, children }: ConfirmFormProps) {
  return (
    <>
      <button type="button" class="quiet danger" popovertarget={id} aria-label={name}>
        {label}
      </button>
      <div id={id} class="dialog" popover="auto" role="dialog" aria-label={name}>
        <form method="post" action={action}>
          <p>{question}</p>
          <button class="danger">{name}</button>
          {children}
          <button type="button" class="quiet" popovertarget={id} popovertargetaction="hide">
            Cancel
          </button>
        </form>
      </div>
    </>
  )
}

const MAX_LISTED = 500

export function FoldedList({ title, items, isOpen }: { title: string; items: readonly Child[]; isOpen?: boolean }) {
  if (items.length === 0) return undefined
  return (
    <details open={isOpen}>
      <summary>
        {title} ({String(items.length)})
      </summary>
      <ul>
        {items.slice(0, MAX_LISTED).map((item) => (
          <li>{item}</li>
        ))}
        {items.length > MAX_LISTED && <li>And {String(items.length - MAX_LISTED)} more</li>}
      </ul>
    </details>
  )
}

/** Marks where live parts go. No text can contain it, because every `<` in text is escaped. */
export const LIVE_PLACE = '<!-- live -->'

export function LivePlace() {
  return raw(LIVE_PLACE)
}

export interface CopyText {
  readonly title: string
  readonly text: string
  readonly note?: string
}

/** Shows texts to copy, each folded. With `isOpen`, the first is open. */
export function SnippetList({ snippets, isOpen = false }: { snippets: readonly CopyText[]; isOpen?: boolean }) {
  return (
    <>
      {snippets.map(({ title, text, note }, index) => (
        <details open={isOpen && index === 0}>
          <summary>{title}</summary>
          {note === undefined ? undefined : <Markdown text={note} />}
          {text === '' ? undefined : <Copyable text={text} />}
        </details>
      ))}
    </>
  )
}

interface FoldProps {
  readonly id: string
  readonly title: string
  readonly note?: string | undefined
  readonly isOpen?: boolean
  readonly children: Child
}

/** A section folded under its heading. */
export function Fold({ id, title, note, isOpen = false, children }: FoldProps) {
  return (
    <details class="fold" open={isOpen}>
      <summary>
        <h2 id={id}>{title}</h2> {note === undefined ? undefined : <span class="note">{note}</span>}
      </summary>
      {children}
    </details>
  )
}

/** Shown by a script once the form around it is sent. */
export function SendingNote({ children }: { children?: Child }) {
  return (
    <p role="status" data-progress hidden>
      {children}
    </p>
  )
}

export const CATALOG_LINK = (
  <p>
    <a href="/">Catalog</a>
  </p>
)

/** Keeps a form value unchanged. In other text, the layout spells out invisible characters. */
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
