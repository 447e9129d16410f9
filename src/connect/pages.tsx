import type { Page } from '../http/page/page.ts'
import { formatRedirectTarget } from '../http/caller/redirect-uri.ts'
import { CARD } from '../http/page/style.ts'
import { ProblemNotice, Row } from '../http/page/rows.tsx'
import { truncate, quoteName, toSentence } from '../http/page/text.ts'
import { Toolkits, type ToolkitsProps } from './toolkits.tsx'

export const EXPIRY_DAYS = [1, 7, 30, 90] as const
const DEFAULT_EXPIRY_DAYS = 30

const CHOICES = `
main{max-width:44rem}
form{margin-bottom:0}
fieldset{flex:1 1 100%;min-width:0;border:0;margin:0;padding:0}
legend{font-weight:600;padding:0}
.pick{display:flex;flex-wrap:wrap;align-items:end;gap:.5rem;margin:.5rem 0}
.pick label{flex:1 1 12rem}
.pick span{flex:1 1 auto;align-self:center}
.pick .choice{flex:0 1 auto;align-self:center}
.pick button{flex:0 1 auto;padding:.3rem .75rem;min-height:2.25rem;font-weight:400}
.pick label:not(.choice)+button{min-height:2.75rem}
.pick button[disabled]{visibility:hidden}
#toolkits li{padding:.25rem .75rem;font-size:.875rem;color:var(--soft)}
#toolkits label{font:600 1rem/1.55 system-ui,sans-serif;color:var(--text);padding:.35rem 0}
#toolkits p{margin:0 0 .5rem}
button.link{flex:none;border:0;padding:.5rem 0;min-height:2.25rem;font:inherit;text-decoration:underline}
.bar{position:sticky;bottom:0;flex:1 1 100%;display:flex;flex-wrap:wrap;gap:.5rem;background:var(--card);border-top:1px solid var(--line);padding:.75rem 0}
.bar label{flex:1 1 16rem;display:flex;align-items:center;gap:.75rem;white-space:nowrap}
.bar select{margin:0}
.bar button{flex:1 0 6rem}
@media (min-width:40rem){#toolkits li{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,2fr);gap:1rem} }
`

export interface ClientSummary {
  readonly name: string
  /** Where people are sent back to; includes the scheme of a private-use URI. */
  readonly host: string
  /** The scheme of a private-use URI, with the colon. */
  readonly scheme: string | undefined
  /** The host of the document that names the client; undefined if only the client names itself. */
  readonly publishedBy: string | undefined
  readonly isLocal: boolean
}

export interface Question extends ToolkitsProps {
  readonly asking: ClientSummary
  readonly person: string
  readonly toolset?: { readonly name: string; readonly title: string | undefined } | undefined
  readonly days?: number | undefined
  readonly problem?: string
}

export function consentPage(question: Question): Page {
  const { asking, person, toolset, days = DEFAULT_EXPIRY_DAYS, problem, ...toolkits } = question
  const isEmpty = toolkits.choices.length === 0
  return {
    status: problem === undefined ? 200 : 400,
    title: 'Let an agent act for you?',
    style: CARD + CHOICES,
    body: [
      problem === undefined ? undefined : <ProblemNotice text={problem} />,
      <dl>
        <Row term="Returns to" content={<code>{truncate(asking.host)}</code>} />
        <Row
          term="Name"
          content={
            <>
              {quoteName(asking.name)}
              <br />
              {asking.publishedBy === undefined
                ? 'Not verified: any program can use this name.'
                : ['Verified: ', <strong>{truncate(asking.publishedBy)}</strong>, ' publishes this agent.']}
            </>
          }
        />
        <Row term="Signed in as" content={truncate(person)} />
        {toolset && (
          <Row
            term="Toolset"
            content={[
              toolset.title === undefined ? undefined : `${quoteName(toolset.title)} `,
              <code>{toolset.name}</code>,
              ': the agent sees nothing else. Its owner can change which tools it has.',
            ]}
          />
        )}
      </dl>,
      asking.isLocal ? (
        <p class="care">
          This agent runs on your own computer, where any program can use its name. Continue only if you started this
          yourself, just now.
        </p>
      ) : undefined,
      asking.scheme === undefined ? undefined : (
        <p class="care">
          Your device opens the app that handles links beginning with <code>{truncate(asking.scheme)}</code>. Any app
          can claim them. Continue only if you started this yourself, just now.
        </p>
      ),
      <form method="post">
        {isEmpty ? 'You have no tools to share with an agent.' : <Toolkits {...toolkits} />}
        <div class="bar">
          {isEmpty ? undefined : <Expiry days={days} />}
          <button name="decision" value="refuse">
            Deny
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

function Expiry({ days: chosen }: { readonly days: number }) {
  return (
    <>
      <label>
        Access expires after
        <select name="days">
          {EXPIRY_DAYS.map((days) => (
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

/** Shows a link instead of redirecting, because the author of the request chose the address. */
export function requestErrorPage(message: string, back: string | undefined): Page {
  const url = back === undefined ? null : URL.parse(back)
  const host = url ? formatRedirectTarget(url) : undefined
  const link = (
    <p>
      <a class="button" href={back}>
        Go back to {truncate(host ?? '')}
      </a>
    </p>
  )
  const body = [toSentence(message), host === undefined ? undefined : link]
  return { status: 400, title: 'This agent cannot be connected', body }
}
