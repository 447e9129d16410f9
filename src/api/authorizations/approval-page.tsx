import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Authorization } from '../../core/consent/authorization.ts'
import type { ShownCredential, ShownFile } from '../../core/consent/shown-invocation.ts'
import type { Json, JsonObject } from '../../core/tool/json.ts'
import type { Page } from '../../http/page/page.ts'
import { Row } from '../../http/page/rows.tsx'
import { bounded, indentedJson } from '../../http/page/text.ts'
import { RefuseButton, until } from './pages.tsx'

/** More would be slow to set out. */
const MAX_ROWS = 200

const NOBODY_IDENTIFIED =
  'This Switchboard is open to whoever reaches it, to try things out: it does not know who you are, and whoever has this link can approve. Elsewhere nothing is approved without knowing who does.'

export function approvalPage(
  authorization: Authorization,
  { identifiesPeople, signedIn }: { readonly identifiesPeople: boolean; readonly signedIn?: string | undefined },
  now: number,
): Page {
  const { id, userId, tool, invocation } = authorization
  const { principal, method, input = {}, user_info: userInfo, answers, credentials = [], files = [] } = invocation ?? {}
  return {
    status: 200,
    title: 'Approve this call?',
    body: [
      <dl>
        <Row term="Tool" words={<code>{tool}</code>} />
        <Row
          term="For the user"
          words={userId === undefined ? 'nobody in particular' : <strong>{bounded(userId)}</strong>}
        />
        <Row term="Signed in as" words={signedIn && bounded(signedIn)} />
        <Row term="Called by" words={principal && <code>{principal}</code>} />
        <Row term="Method" words={method && <code>{method}</code>} />
        {credentials.map((each) => (
          <Row term={each.kind === 'token' ? `Access to ${each.id}` : `Secret ${each.id}`} words={ownerOf(each)} />
        ))}
      </dl>,
      <h2>Its arguments</h2>,
      <Values of={input} />,
      ...(files.length === 0 ? [] : [<Files files={files} authorization={id} />]),
      ...(userInfo ? [<h2>What the caller tells it about the user</h2>, <Values of={userInfo} />] : []),
      ...(answers
        ? [
            <h2>Answers that the caller gives it as a person’s</h2>,
            <Values of={answers.state === undefined ? answers.responses : answers} />,
          ]
        : []),
      <p class="care">It runs only if you approve, once, and with exactly what is shown here.</p>,
      identifiesPeople ? undefined : <p class="care">{NOBODY_IDENTIFIED}</p>,
      <form method="post">
        <button class="go" name="decision" value="approve">
          Approve
        </button>
        <RefuseButton />
      </form>,
      <p class="note">{until(authorization, now)}</p>,
    ],
  }
}

function ownerOf(credential: ShownCredential): JSX.Element | string {
  if (credential.from === 'deployment') return 'that of this Switchboard'
  const isGrant = credential.from === 'grant'
  if (isGrant && credential.account === '') return 'the user’s, of the account without a name'
  return (
    <>
      {isGrant ? 'the user’s account' : 'one that the caller sends along, known by'}{' '}
      {isGrant ? <strong>{credential.account}</strong> : <code>{credential.hash.slice(0, 12)}</code>}
    </>
  )
}

function Files({ files, authorization }: { readonly files: readonly ShownFile[]; readonly authorization: string }) {
  return (
    <>
      <h2>Its files</h2>
      <ul role="list">
        {files.map(({ handle, filename = 'A file without a name', content_type, size, sha256 }, index) => (
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

function Values({ of }: { readonly of: JsonObject }) {
  const entries = Object.entries(of)
  if (entries.length === 0) return <p>None.</p>
  if (entries.length > MAX_ROWS) return <pre>{indentedJson(of)}</pre>
  return (
    <dl>
      {entries.map(([name, value = null]) => (
        <Row term={name} words={<pre>{readable(value)}</pre>} />
      ))}
    </dl>
  )
}

const READS_AS_JSON = /^(?:[[{"]|(?:true|false|null)$)/

/** A text stands without quotation marks, unless it reads like another value or its edges could not be seen. */
function readable(value: Json): string {
  if (typeof value !== 'string' || value.trim() !== value || READS_AS_JSON.test(value)) return indentedJson(value)
  return Number.isNaN(Number(value)) ? value : indentedJson(value)
}
