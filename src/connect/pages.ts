import { bounded, html, type Markup } from '../http/page/markup.ts'
import { MAX_TEXT, type Page, sentence } from '../http/page/page.ts'
import type { Choice } from '../core/catalogue/choices.ts'

export const DAYS = [1, 7, 30, 90] as const
const USUAL_DAYS = 30
const MAX_SHOWN = 12

export interface Asking {
  readonly name: string
  /** The host of the redirect URI. */
  readonly host: string
  /** The host of the client's document; undefined where only the client says who it is. */
  readonly publishedBy: string | undefined
  /** Whether the redirect URI is a program on the person's own computer. */
  readonly isLocal: boolean
}

export interface Question {
  readonly asking: Asking
  readonly person: string
  readonly choices: readonly Choice[]
  /** Preselected toolkits, in lower case. */
  readonly wanted: ReadonlySet<string>
  readonly problem?: string
}

/** Asks which toolkits an agent may use, and for how long. */
export function askPage({ asking, person, choices, wanted, problem }: Question): Page {
  const name = bounded(asking.name, 100)
  return {
    status: problem === undefined ? 200 : 400,
    title: `Let ${name} act for you?`,
    body: html`${problem === undefined ? undefined : html`<p class="care" role="alert">${sentence(problem)}</p>`}
      <dl>
        <dt>Who asks</dt>
        <dd><strong>${name}</strong>${identity(asking)}</dd>
        <dt>Goes back to</dt>
        <dd><code>${bounded(asking.host, MAX_TEXT)}</code></dd>
        <dt>You are</dt>
        <dd>${bounded(person, MAX_TEXT)}</dd>
      </dl>
      ${
        asking.isLocal
          ? html`<p class="care">
              It goes back to a program on your own computer. Go on only if you began this yourself, just now: any
              program there can say that it is ${name}.
            </p>`
          : undefined
      }
      ${choices.length === 0 ? html`<p>There is no tool here that you may use, so there is nothing to choose.</p>` : undefined}
      <form method="post">
        ${choices.length === 0 ? undefined : html`<h2>It may use</h2>`}
        ${choices.map((choice) => choiceField(choice, wanted))} ${choices.length === 0 ? undefined : daysField()}
        ${choices.length === 0 ? undefined : html`<button class="go" name="decision" value="allow">Allow</button>`}
        <button name="decision" value="refuse">Refuse</button>
      </form>
      <p class="note">
        It can list and call these tools as you, and nothing else; never more than you may yourself. Calls of level 8
        and above ask a person each time. You can end it at any time.
      </p>`,
  }
}

function identity({ publishedBy, name }: Asking): Markup {
  return publishedBy === undefined
    ? html`<br />Only it says that this is its name; nobody has verified it.`
    : html`<br />Verified: <strong>${bounded(publishedBy, MAX_TEXT)}</strong> says so of ${bounded(name, 100)}.`
}

function choiceField({ toolkit, tools, level }: Choice, wanted: ReadonlySet<string>): Markup {
  const shown = tools.slice(0, MAX_SHOWN).join(', ')
  const more = tools.length > MAX_SHOWN ? ` and ${tools.length - MAX_SHOWN} more` : ''
  const isWanted = wanted.has(toolkit.toLowerCase())
  return html`<label class="choice">
    ${
      isWanted
        ? html`<input type="checkbox" name="toolkit.${toolkit}" value="1" checked />`
        : html`<input type="checkbox" name="toolkit.${toolkit}" value="1" />`
    }
    <span
      ><strong>${toolkit}</strong>, security level ${level === 0 ? '0' : `up to ${level}`}${levelWords(level)}<br />
      <span class="note">${shown}${more}</span></span
    >
  </label>`
}

function levelWords(level: number): string {
  if (level >= 8) return ' (a person approves such calls)'
  return level >= 4 ? ' (can change or send things)' : ''
}

function daysField(): Markup {
  return html`<label
    >For how long
    <select name="days">
      ${DAYS.map((days) => {
        const words = days === 1 ? '1 day' : `${days} days`
        return days === USUAL_DAYS
          ? html`<option value="${String(days)}" selected>${words}</option>`
          : html`<option value="${String(days)}">${words}</option>`
      })}
    </select>
  </label>`
}

/** A wrong request redirects nobody by itself: who wrote the link chose where it leads. */
export function wrongRequestPage(message: string, back: string | undefined): Page {
  const host = back === undefined ? undefined : URL.parse(back)?.host
  return {
    status: 400,
    title: 'This agent cannot be connected',
    body: html`<p>${sentence(message)}</p>
      ${host === undefined || back === undefined ? undefined : html`<p><a class="button" href="${back}">Go back to ${bounded(host, MAX_TEXT)}</a></p>`}`,
  }
}
