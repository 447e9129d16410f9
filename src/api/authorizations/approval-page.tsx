import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Authorization } from '../../core/consent/authorization.ts'
import type { CredentialSnapshot, FileSnapshot } from '../../core/consent/invocation-snapshot.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Page } from '../../http/page/page.ts'
import { Row } from '../../http/page/rows.tsx'
import { truncate, indentedJson, quoteName } from '../../http/page/text.ts'
import { Codes, type KnownTool, RefuseButton, ToolRows, formatExpiry } from './grant-page.tsx'

/** More would be slow to render. */
const MAX_ROWS = 200
const MAX_DEPTH = 4
const MAX_NOTE = 160

const NOBODY_IDENTIFIED =
  'This Switchboard has no sign-in, so it does not know who you are: anyone with this link can approve.'

interface ApprovalVisit {
  readonly identifiesPeople: boolean
  readonly tool: KnownTool | undefined
  readonly signedInAs?: string | undefined
}

export function approvalPage(
  authorization: Authorization,
  { identifiesPeople, tool, signedInAs }: ApprovalVisit,
  now: number,
): Page {
  const { id, userId, requestedBy, invocation } = authorization
  // Omits the user and the tool, which the page shows from the authorization; the tool's version has this digest
  const { tool: _, digest: __, user: ___, principal, method, input = {}, ...details } = { ...invocation }
  const { user_info: userInfo, answers, credentials = [], files = [], ...unshown } = details
  unshown satisfies Record<string, never>
  return {
    status: 200,
    title: 'Approve this call?',
    body: [
      <dl>
        <Row term="Requested by" content={principal && <Caller principal={principal} name={requestedBy} />} />
        <ToolRows id={authorization.tool} tool={tool} />
        <Row term="Sends data to" content={tool && <Destination {...tool} />} />
        <Row term="User" content={userId === undefined ? 'none' : <strong>{truncate(userId)}</strong>} />
        <Row term="Signed in as" content={signedInAs && truncate(signedInAs)} />
        <Row term="Method" content={method && <code>{method}</code>} />
        {credentials.map((credential) => (
          <Row
            term={credential.kind === 'token' ? `Access to ${credential.id}` : `Secret ${credential.id}`}
            content={renderOwner(credential)}
          />
        ))}
      </dl>,
      <h2>Arguments</h2>,
      <Values value={input} notes={listDescriptions(tool)} />,
      ...(files.length === 0 ? [] : [<Files files={files} authorization={id} />]),
      ...(userInfo ? [<h2>User details sent by the caller</h2>, <Values value={userInfo} />] : []),
      ...(answers
        ? [
            <h2>Answers the caller gives on a person’s behalf</h2>,
            <Values value={answers.state === undefined ? answers.responses : answers} />,
          ]
        : []),
      <p class="care">If you approve, the call runs once, exactly as shown.</p>,
      identifiesPeople ? undefined : <p class="care">{NOBODY_IDENTIFIED}</p>,
      <form method="post">
        <button class="go" name="decision" value="approve">
          Approve
        </button>
        <RefuseButton />
      </form>,
      <p class="note">{formatExpiry(authorization, now)}</p>,
    ],
  }
}

const CALLERS = new Map([
  ['key', 'API key'],
  ['agent', 'Agent'],
  ['person', 'Person'],
])

function Caller({ principal, name }: { readonly principal: string; readonly name: string | undefined }) {
  const kind = CALLERS.get(principal.split(':')[0] ?? '')
  return (
    <>
      {kind} {name && [quoteName(name), ' ']}
      <code>{principal}</code>
    </>
  )
}

function Destination({ runnable }: Pick<KnownTool, 'runnable'>) {
  const { hosts } = runnable.ok ? runnable : { hosts: [] }
  if (hosts === undefined) return <>any host, as this Switchboard’s own code decides</>
  return hosts.length === 0 ? <>this Switchboard only</> : <Codes texts={hosts} />
}

function listDescriptions(tool: KnownTool | undefined): ReadonlyMap<string, string> {
  const { properties } = tool?.record.input ?? {}
  const descriptions = Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]) =>
    isJsonObject(schema) && typeof schema['description'] === 'string'
      ? [[name, truncate(schema['description'], MAX_NOTE)] as const]
      : [],
  )
  return new Map(descriptions)
}

function renderOwner(credential: CredentialSnapshot): JSX.Element | string {
  if (credential.from === 'deployment') return 'this Switchboard’s own'
  const isGrant = credential.from === 'grant'
  if (isGrant && credential.account === '') return 'the user’s default account'
  return (
    <>
      {isGrant ? 'the user’s account' : 'sent by the caller, fingerprint'}{' '}
      {isGrant ? <strong>{credential.account}</strong> : <code>{credential.hash.slice(0, 12)}</code>}
    </>
  )
}

function Files({ files, authorization }: { readonly files: readonly FileSnapshot[]; readonly authorization: string }) {
  return (
    <>
      <h2>Files</h2>
      <ul role="list">
        {files.map(({ handle, filename = 'Unnamed file', content_type, size, sha256 }, index) => (
          <li>
            <a href={`/authorizations/${authorization}/files/${index}`}>{filename}</a>, {content_type},{' '}
            {size.toLocaleString('en')} bytes
            <code>{handle}</code>
            <code>SHA-256 {sha256}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

function Values({ value, notes }: { readonly value: JsonObject; readonly notes?: ReadonlyMap<string, string> }) {
  const entries = Object.entries(value)
  if (entries.length === 0) return <p>None.</p>
  if (countRows(value, MAX_DEPTH) > MAX_ROWS) return <pre>{indentedJson(value)}</pre>
  return (
    <dl>
      {entries.map(([name, value = null]) => {
        const note = notes?.get(name)
        const content = (
          <>
            <Value value={value} />
            {note && <span class="note">{note}</span>}
          </>
        )
        return <Row term={name} content={content} />
      })}
    </dl>
  )
}

function Value({ value }: { readonly value: Json }) {
  if (isJsonObject(value) && Object.keys(value).length > 0) return <Values value={value} />
  return <pre>{readable(value)}</pre>
}

function countRows(value: JsonObject, depth: number): number {
  if (depth === 0) return Infinity
  const nested = Object.values(value).map((child) => (isJsonObject(child) ? countRows(child, depth - 1) : 0))
  return nested.reduce((sum, rows) => sum + rows, nested.length)
}

const READS_AS_JSON = /^(?:[[{"]|(?:true|false|null)$)/

/** Shows a string without quotation marks, unless it looks like another value or has spaces at its ends. */
function readable(value: Json): string {
  if (typeof value !== 'string' || value.trim() !== value || READS_AS_JSON.test(value)) return indentedJson(value)
  return Number.isNaN(Number(value)) ? value : indentedJson(value)
}
