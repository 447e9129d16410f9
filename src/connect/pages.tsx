import type { Choice } from '../core/catalogue/choices.ts'
import type { Page } from '../http/page/page.ts'
import { Problem, Row } from '../http/page/rows.tsx'
import { bounded, quoted, sentence } from '../http/page/text.ts'

export const DAYS = [1, 7, 30, 90] as const
const USUAL_DAYS = 30
const MAX_SHOWN = 12

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
  readonly problem?: string
}

export function askPage({ asking, person, choices, chosen, problem }: Question): Page {
  const name = quoted(asking.name)
  const hasChoices = choices.length > 0
  return {
    status: problem === undefined ? 200 : 400,
    title: 'Let an agent act for you?',
    body: [
      problem === undefined ? undefined : <Problem text={problem} />,
      <dl>
        <Row term="Goes back to" words={<code>{bounded(asking.host)}</code>} />
        <Row
          term="It says that it is"
          words={
            <>
              {name}
              <br />
              {asking.publishedBy === undefined
                ? 'Only it says so; nobody has verified it.'
                : ['Verified: ', <strong>{bounded(asking.publishedBy)}</strong>, ' says so.']}
            </>
          }
        />
        <Row term="You are" words={bounded(person)} />
      </dl>,
      asking.isLocal ? (
        <p class="care">
          It goes back to a program on your own computer. Go on only if you began this yourself, just now: any program
          there can say that of itself.
        </p>
      ) : undefined,
      hasChoices ? undefined : 'There is no tool here that you may use, so there is nothing to choose.',
      <form method="post">
        {hasChoices ? (
          <>
            <h2>It may use</h2>
            {choices.map((choice) => (
              <ChoiceField choice={choice} isChosen={chosen.has(choice.toolkit)} />
            ))}
            <DaysField />
            <button class="go" name="decision" value="allow">
              Allow
            </button>
          </>
        ) : undefined}
        <button name="decision" value="refuse">
          Refuse
        </button>
      </form>,
      <p class="note">
        It can list and call these tools as you, and nothing else; never more than you may yourself. Calls of level 8
        and above ask a person each time. You can end it at any time.
      </p>,
    ],
  }
}

function ChoiceField({ choice, isChosen }: { readonly choice: Choice; readonly isChosen: boolean }) {
  const { toolkit, tools, level } = choice
  const more = tools.length > MAX_SHOWN ? ` and ${tools.length - MAX_SHOWN} more` : ''
  return (
    <label class="choice">
      <input type="checkbox" name={`toolkit.${toolkit}`} value="1" checked={isChosen} />
      <span>
        <strong>{toolkit}</strong>, security level {level === 0 ? '0' : `up to ${level}`}
        {levelWords(level)}
        <br />
        <span class="note">
          {tools.slice(0, MAX_SHOWN).join(', ')}
          {more}
        </span>
      </span>
    </label>
  )
}

function levelWords(level: number): string {
  if (level >= 8) return ' (a person approves such calls)'
  return level >= 4 ? ' (can change or send things)' : ''
}

function DaysField() {
  return (
    <label>
      For how long
      <select name="days">
        {DAYS.map((days) => (
          <option value={String(days)} selected={days === USUAL_DAYS}>
            {days === 1 ? '1 day' : `${days} days`}
          </option>
        ))}
      </select>
    </label>
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
