import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Progress } from '../../core/call/progress.ts'

/** What a tool reports, a line each; the style shows the last alone, and none once there is an outcome. */
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
