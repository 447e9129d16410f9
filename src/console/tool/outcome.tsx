import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Progress } from '../../core/call/progress.ts'
import { indentedJson } from '../../http/page/text.ts'
import type { CallEnd } from '../visit.ts'
import { Copyable, FailureNotice, Notice } from '../parts.tsx'
import { failureOf } from '../reply.ts'
import { type CallBody, type CallError, type ChallengeLink, challengesOf, type GivenArtifact } from './call.tsx'

export function CallOutcome({ reply: { status, value } }: { reply: CallEnd<CallBody> }) {
  const { result, artifact } = value
  if (result?.success) {
    return (
      <>
        <Notice>
          <p>
            <strong>It worked</strong>, in {String(Math.round(result.duration))} ms.
          </p>
        </Notice>
        {artifact ? <ArtifactLink artifact={artifact} /> : <Copyable text={indentedJson(result.value ?? null)} />}
      </>
    )
  }
  if (result?.error) return <ToolError error={result.error} />
  const challenges = challengesOf(value)
  if (challenges.length > 0) return <Challenges challenges={challenges} reply={value} />
  return <FailureNotice failure={failureOf(status, value)} />
}

function ToolError({ error }: { error: CallError }) {
  const { message, developer_message, can_retry, additional_prompt_content, artifact } = error
  return (
    <Notice isProblem>
      <p>
        <strong>The tool failed: {message}</strong>
      </p>
      {developer_message === undefined ? undefined : <p>{developer_message}</p>}
      {additional_prompt_content === undefined ? undefined : <p>{additional_prompt_content}</p>}
      {artifact && <ArtifactLink artifact={artifact} />}
      <p class="note">{can_retry ? 'It can be tried again.' : 'To try it again as it is would come to the same.'}</p>
    </Notice>
  )
}

function ArtifactLink({ artifact: { url } }: { artifact: GivenArtifact }) {
  if (!/^https?:\/\//.test(url)) return undefined
  return (
    <p>
      <a href={url}>What it gave</a>
    </p>
  )
}

function Challenges({ challenges, reply }: { challenges: readonly ChallengeLink[]; reply: CallBody }) {
  return (
    <Notice>
      <p>
        <strong>Somebody has to do something first.</strong> {reply.developer_message ?? reply.message}.
      </p>
      <ol>
        {challenges.map(({ id, url }) => (
          <li>
            <a href={url} target="_blank" rel="noopener noreferrer" data-again>
              {id === 'approval' ? 'The page where this call is approved' : `Let the tool have access to ${id}`}
            </a>{' '}
            <span class="note">opens in another window</span>
          </li>
        ))}
        <li>Then come back here, and try again below: what you wrote is still there.</li>
      </ol>
    </Notice>
  )
}

/** Reports of progress, a line each; the style shows the last alone, and none once there is an outcome. */
export async function* linesOf(reports: AsyncIterable<Progress>): AsyncGenerator<JSX.Element> {
  for await (const report of reports) yield <Line report={report} />
}

function Line({ report: { progress, total, message } }: { report: Progress }) {
  const isKnown = total !== undefined && total > 0
  const far = isKnown ? { value: String(Math.max(0, Math.min(progress, total))), max: String(total) } : {}
  return (
    <p>
      <progress aria-label="How far it is" {...far} />
      <br />
      {isKnown ? `${progress} of ${total}` : progress}
      {message === undefined ? '' : `: ${message}`}
    </p>
  )
}
