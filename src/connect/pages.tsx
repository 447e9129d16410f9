import type { Choice } from '../core/catalogue/choices.ts'
import type { Page } from '../http/page/page.ts'
import { assets } from '../generated/console.ts'
import { CARD } from '../http/page/style.ts'
import { Problem, Row } from '../http/page/rows.tsx'
import { bounded, quoted, sentence } from '../http/page/text.ts'

export const DAYS = [1, 7, 30, 90] as const
const USUAL_DAYS = 30
/** Of a toolkit, and of all of them together: the page stays short at any size. */
const MAX_NAMES = 12
const MAX_NAMES_OF_ALL = 800

const CHOICES = `
main{max-width:44rem}
form{margin-bottom:0}
fieldset{flex:1 1 100%;min-width:0;border:0;margin:0;padding:0}
legend{font-weight:600;padding:0}
.pick{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0}
.pick button{flex:0 1 auto;padding:.3rem .75rem;min-height:2.25rem;font-weight:400}
#toolkits li{padding:.25rem .75rem}
#toolkits label{font-weight:600;padding:.35rem 0}
details{font-size:.875rem;color:var(--soft)}
summary{cursor:pointer;padding:.25rem 0}
.bar{position:sticky;bottom:0;flex:1 1 100%;display:flex;flex-wrap:wrap;gap:.5rem;background:var(--card);border-top:1px solid var(--line);padding:.75rem 0}
.bar label{flex:1 1 16rem;display:flex;align-items:center;gap:.75rem;white-space:nowrap}
.bar select{margin:0}
.bar button{flex:1 0 6rem}
[hidden],#toolkits [hidden]{display:none}
@media (min-width:40rem){#toolkits li{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,2fr);gap:1rem} }
`

export interface Asking {
  readonly name: string
  readonly host: string
  /** Undefined where only the client says its name; else the host of the document that does. */
  readonly publishedBy: string | undefined
  readonly isLocal: boolean
}

export interface Question {
  readonly asking: Asking
  readonly person: string
  readonly choices: readonly Choice[]
  readonly chosen: ReadonlySet<string>
  readonly days?: number | undefined
  readonly problem?: string
}

export function askPage({ asking, person, choices, chosen, days = USUAL_DAYS, problem }: Question): Page {
  return {
    status: problem === undefined ? 200 : 400,
    title: 'Let an agent act for you?',
    style: CARD + CHOICES,
    script: assets.script,
    body: [
      problem === undefined ? undefined : <Problem text={problem} />,
      <dl>
        <Row term="Returns to" words={<code>{bounded(asking.host)}</code>} />
        <Row
          term="Calls itself"
          words={
            <>
              {quoted(asking.name)}
              <br />
              {asking.publishedBy === undefined
                ? 'Not verified: any program can use this name.'
                : ['Verified: ', <strong>{bounded(asking.publishedBy)}</strong>, ' publishes this agent.']}
            </>
          }
        />
        <Row term="Signed in as" words={bounded(person)} />
      </dl>,
      asking.isLocal ? (
        <p class="care">
          This agent runs on your own computer, where any program can use its name. Continue only if you started this
          yourself, just now.
        </p>
      ) : undefined,
      <form method="post">
        {choices.length === 0 ? 'There is no tool here that you can share with an agent.' : undefined}
        {choices.length === 0 ? undefined : <Toolkits choices={choices} chosen={chosen} />}
        <div class="bar">
          {choices.length === 0 ? undefined : <Expiry days={days} />}
          <button name="decision" value="refuse">
            Refuse
          </button>
        </div>
      </form>,
      <p class="note">
        The agent can list and call the tools of these toolkits as you, and never more than you can yourself. Each call
        of security level 8 or above needs a person's approval. You can disconnect it at any time.
      </p>,
    ],
  }
}

function Toolkits({ choices, chosen }: Pick<Question, 'choices' | 'chosen'>) {
  const names = Math.min(MAX_NAMES, Math.ceil(MAX_NAMES_OF_ALL / choices.length))
  return (
    <fieldset>
      <legend>Toolkits it can use ({String(choices.length)})</legend>
      {choices.length === 1 ? undefined : (
        <div class="pick">
          <button name="decision" value="all" data-check="toolkits">
            Select all
          </button>
          <button name="decision" value="none" data-check="toolkits">
            Select none
          </button>
          <label hidden>
            Find a toolkit
            <input type="search" data-filter="toolkits" autocomplete="off" />
          </label>
        </div>
      )}
      <ul id="toolkits">
        {choices.map(({ toolkit, tools, level }) => (
          <li>
            <label class="choice">
              <input type="checkbox" name={`toolkit.${toolkit}`} value="1" checked={chosen.has(toolkit)} />
              {toolkit}
            </label>
            <details>
              <summary>
                {tools.length === 1 ? '1 tool' : `${tools.length} tools`}
                {levelWords(level)}
              </summary>
              {tools.slice(0, names).join(', ')}
              {tools.length > names ? ` and ${tools.length - names} more` : ''}
            </details>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function levelWords(level: number): string {
  if (level >= 8) return `, level up to ${level}: some calls need approval`
  if (level >= 4) return `, level up to ${level}: can change or send things`
  return level === 0 ? '' : `, level up to ${level}`
}

function Expiry({ days: chosen }: { readonly days: number }) {
  return (
    <>
      <label>
        Access expires after
        <select name="days">
          {DAYS.map((days) => (
            <option value={String(days)} selected={days === chosen}>
              {days === 1 ? '1 day' : `${days} days`}
            </option>
          ))}
        </select>
      </label>
      <button class="go" name="decision" value="allow">
        Allow
      </button>
    </>
  )
}

/** Nobody is sent back by that alone: the link's author chose the place. */
export function wrongRequestPage(message: string, back: string | undefined): Page {
  const host = back === undefined ? undefined : URL.parse(back)?.host
  const link = (
    <p>
      <a class="button" href={back}>
        Go back to {bounded(host ?? '')}
      </a>
    </p>
  )
  const body = [sentence(message), host === undefined ? undefined : link]
  return { status: 400, title: 'This agent cannot be connected', body }
}
