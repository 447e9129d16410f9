import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ApiAnswers } from '../../api/answers.ts'
import type { Progress } from '../../core/call/progress.ts'
import type { CallResponse } from '../page-context.ts'
import { FailureNotice, Notice } from '../parts.tsx'
import { toFailure } from '../reply.ts'
import { type CallBody, type CallError, type Challenges, listChallenges } from './call.tsx'
import { ResultValue } from './result.tsx'
import { isOpenable, OpenLink } from './tree.tsx'

interface OutcomeProps {
  readonly reply: CallResponse<CallBody>
  readonly origin: string
  readonly hasUserField: boolean
  readonly renderMissing: ApiAnswers['GET /tools/:id/readiness']['missing_requirements']
}

export function OutcomePanel({ reply: { status, value }, origin, hasUserField, renderMissing: missing }: OutcomeProps) {
  const { result, artifact } = value
  if (result?.success) {
    return (
      <>
        <Notice>
          <p>
            <strong class="ok">Succeeded</strong> in {String(Math.round(result.duration))} ms
          </p>
        </Notice>
        {artifact ? (
          <ArtifactLink url={artifact.url} origin={origin} />
        ) : (
          <ResultValue value={result.value ?? null} origin={origin} />
        )}
      </>
    )
  }
  if (result?.error) return <ToolError error={result.error} origin={origin} />
  if (value.missing_requirements?.user_id) {
    if (hasUserField) return <Notice isProblem>Fill in User, then call again.</Notice>
    return <FailureNotice failure={toFailure(status, value)} />
  }
  const unconfiguredIds = (missing?.authorization ?? []).flatMap(({ id, needs_setup }) => (needs_setup ? [id] : []))
  const challenges = listChallenges(value).filter(({ id }) => !unconfiguredIds.includes(id))
  if (challenges.length > 0) return <ChallengeList challenges={challenges} reply={value} />
  // The form shows problems with parameters. A message with a colon also names others
  if (value.parameter_errors && !value.message?.includes(':')) return undefined
  return <FailureNotice failure={toFailure(status, value)} />
}

function ToolError({ error, origin }: { error: CallError; origin: string }) {
  const { message, developer_message, can_retry, additional_prompt_content, artifact } = error
  return (
    <Notice isProblem>
      <p>
        <strong>The tool failed: {message}</strong>
      </p>
      {developer_message === undefined ? undefined : <p>{developer_message}</p>}
      {additional_prompt_content === undefined ? undefined : <p>{additional_prompt_content}</p>}
      {artifact && <ArtifactLink url={artifact.url} origin={origin} />}
      <p class="note">{can_retry ? 'You can try again.' : 'Trying again without changes will give the same error.'}</p>
    </Notice>
  )
}

function ArtifactLink({ url, origin }: { url: string; origin: string }) {
  if (!isOpenable(url, origin)) return undefined
  return (
    <p>
      <OpenLink url={url}>Open the result</OpenLink>
    </p>
  )
}

function ChallengeList({ challenges, reply }: { challenges: Challenges; reply: CallBody }) {
  return (
    <Notice>
      <p>
        <strong>Action required.</strong> {reply.developer_message ?? reply.message}.
      </p>
      <ol>
        {challenges.map(({ id, url, check_url }) => (
          <li data-check={check_url}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {id === 'approval' ? 'Approve this call' : `Connect ${id}`}
            </a>{' '}
            <span class="note">opens in a new tab</span>
          </li>
        ))}
        <li data-waiting={challenges.every(({ check_url }) => check_url !== undefined) || undefined}>
          Come back here and press Call tool. Your input is kept.
        </li>
      </ol>
    </Notice>
  )
}

/**
 * One line per progress report. The style sheet shows only the last, and none once there is an outcome. Between reports, an
 * empty part lets workerd notice that the reader has left, which cancels a call without an id.
 */
export async function* renderProgress(reports: AsyncIterable<Progress | undefined>): AsyncGenerator<JSX.Element> {
  for await (const report of reports) yield report ? <ProgressLine report={report} /> : <> </>
}

function ProgressLine({ report: { progress, total, message } }: { report: Progress }) {
  const isKnown = total !== undefined && total > 0
  const barAttributes = isKnown ? { value: String(Math.max(0, Math.min(progress, total))), max: String(total) } : {}
  return (
    <p>
      <progress aria-label="Progress" {...barAttributes} />
      <br />
      {isKnown ? `${progress} of ${total}` : progress}
      {message === undefined ? '' : `: ${message}`}
    </p>
  )
}
