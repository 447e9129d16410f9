import { classifyOutcome } from '../../core/call/call-record.ts'
import type { ApiAnswers } from '../../api/answers.ts'
import type { PageResult, PageContext } from '../page-context.ts'
import { Facts, FailureNotice, Notice, OutcomeWord, Time, ToolNameLabel } from '../parts.tsx'
import { buildQuery, readFilters } from '../query.ts'
import { ResultValue } from '../tool/result.tsx'
import { formatCaller } from './callers.ts'
import { formatMs } from './chart.tsx'

type ListedCall = ApiAnswers['GET /calls']['items'][number]

const CALLS_LINK = { text: 'Calls', href: '/console/calls' }

/** Builds the address of a call's page. It includes the call's time, because repeated calls have the same id. */
export function buildCallHref({ call_id, at }: Pick<ListedCall, 'call_id' | 'at'>): string {
  return `${CALLS_LINK.href}/${encodeURIComponent(call_id)}?${new URLSearchParams({ at })}`
}

export async function show(context: PageContext): Promise<PageResult> {
  const query = buildQuery(readFilters(context, ['at']))
  const call = await context.fetchRoute('GET /calls/:id', { id: context.params['id'] ?? '', query })
  const view = { title: 'Call', trail: [CALLS_LINK] }
  // `callsTool` makes the page's policy allow pictures
  if (call.ok) return { ...view, content: <Call call={call.value} origin={context.url.origin} />, callsTool: true }
  if (call.status !== 404) return { ...view, status: call.status, content: <FailureNotice failure={call.failure} /> }
  const text = 'There is no such call, or you cannot see it. Calls are kept for 30 days.'
  return { ...view, status: 404, content: <Notice isProblem>{text}</Notice> }
}

function Call({ call, origin }: { call: ApiAnswers['GET /calls/:id']; origin: string }) {
  const { at, tool, outcome, duration_ms, dialect, user_id, upstream_status, arguments: input, content } = call
  const toolHref = `/console/tools/${encodeURIComponent(tool)}`
  const formQuery = content ? `?${buildQuery({ call: call.call_id, at })}` : ''
  const facts = {
    'Tool': (
      <a href={toolHref}>
        <ToolNameLabel name={tool} />
      </a>
    ),
    'Time': <Time at={at} format="second" />,
    'Duration': formatMs(duration_ms),
    'Caller': formatCaller(call),
    'User': user_id,
    'Dialect': dialect,
    'Upstream status': upstream_status,
    'Arguments': input && <code>{JSON.stringify(input)}</code>,
    'Call ID': <code>{call.call_id}</code>,
    'Trace ID': call.trace_id && <code>{call.trace_id}</code>,
    'Digest': call.digest && <code>{call.digest}</code>,
  }
  return (
    <>
      <Notice isProblem={classifyOutcome(outcome) === 'failure'}>
        <p>
          <OutcomeWord outcome={outcome} /> {EXPLANATIONS[outcome]}
        </p>
        {content?.error === undefined ? undefined : <p>{content.error}</p>}
        {outcome === 'success' || content?.error !== undefined ? undefined : (
          <p>
            The caller got the exact reason in the response. If an administrator must set something up,{' '}
            <code>for_operator</code> in the <a href="/docs/operate#logs-and-traces">log</a> says what. See{' '}
            <a href="/docs/operate#outcomes">all outcomes</a>.
          </p>
        )}
      </Notice>
      <Facts facts={Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))} />
      {Object.entries({ Input: content?.input, Result: content?.output }).map(([title, value]) =>
        value === undefined ? undefined : (
          <>
            <h2>{title}</h2>
            <ResultValue value={value} origin={origin} />
          </>
        ),
      )}
      {content?.too_large && <p class="note">Larger than 16 KiB, and not recorded: {content.too_large.join(', ')}.</p>}
      {call.digest === undefined ? undefined : (
        <p>
          <a class="button" href={toolHref + formQuery}>
            Call again
          </a>
        </p>
      )}
    </>
  )
}

const EXPLANATIONS: Partial<Readonly<Record<ListedCall['outcome'], string>>> = {
  'approval-required': 'A person must approve the call. Then the caller repeats it.',
  'consent-required': 'The user must connect an account. Then the caller repeats the call.',
  'input-required': 'The tool asked the user something. The caller repeats the call with the answer.',
  'requirements-missing': 'A user, token, secret or provider is missing. The page of the tool lists what it needs.',
  'input-invalid': 'The input does not match the schema of the tool.',
  'forbidden': 'The credential lacks a scope, this tool or this user.',
  'rate-limited': 'The caller reached a limit of its key or of the tool.',
  'conflict': 'The call ID was already used for a different call.',
  'tool-unknown': 'There is no such tool for this caller.',
  'tool-failed': 'The tool or its API failed.',
  'tool-timed-out': 'The tool did not finish in time.',
  'output-invalid': 'The output does not match the output schema of the tool.',
  'outcome-unknown': 'The result was lost. Check what the call did before it is repeated.',
}
