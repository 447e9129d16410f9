import type { CallableTool } from '../../core/call/callable-tool.ts'
import type { Authorization } from '../../core/consent/authorization.ts'
import { listExtraScopes } from '../../core/consent/oauth-scopes.ts'
import type { OAuthProvider, Provider } from '../../core/consent/provider.ts'
import { getAppearance } from '../../core/tool/appearance.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { ToolIcon } from '../../http/page/icon.tsx'
import type { Page } from '../../http/page/page.ts'
import { Row } from '../../http/page/rows.tsx'
import { truncate, quoteName } from '../../http/page/text.ts'
import { describeScope } from './scope-words.ts'

export type KnownTool = Pick<CallableTool, 'record' | 'runnable'>

export interface GrantVisit {
  readonly provider: Provider | undefined
  readonly tool: KnownTool | undefined
  readonly signedInAs?: string | undefined
  /** Whether a user verifier must identify the person first. */
  readonly mustConfirm?: boolean
}

export function grantPage(authorization: Authorization, visit: GrantVisit, now: number): Page {
  const { provider, signedInAs } = visit
  const { provider: id, account, accounts = [], hasProviderGrant = false } = authorization
  const name = truncate(provider?.name ?? id, 100)
  const oauthProvider = provider?.kind === undefined ? provider : undefined
  const scopes = [
    ...authorization.scopes,
    ...(hasProviderGrant || !oauthProvider ? [] : listImplicitScopes(oauthProvider, authorization.scopes)),
  ]
  const namedScopes = [...authorization.scopes, ...(oauthProvider?.extra_scopes ?? [])]
  return {
    status: 200,
    title: `Allow ${toolkitName(authorization)} to use your ${name} account?`,
    body: [
      <GrantDetails authorization={authorization} visit={visit} />,
      <h2>Permissions</h2>,
      scopes.length === 0 ? (
        `No specific permissions: ${name} will show what this allows.`
      ) : (
        <ul role="list">
          {scopes.map((scope) => (
            <li>
              {describeScope(id, scope)}
              {scope === 'offline_access' && !namedScopes.includes(scope) ? ` (if ${name} offers it)` : undefined}
              <code>{truncate(scope)}</code>
            </li>
          ))}
        </ul>
      ),
      <p>
        This allows all tools of the toolkit <code>{toolkitName(authorization)}</code> to use your account, at these
        addresses only.
      </p>,
      hasProviderGrant
        ? `You have connected ${name} before: this is about letting this toolkit use that access.`
        : undefined,
      <CareNote name={name} signedInAs={signedInAs} />,
      <form method="post">
        {account === undefined ? <AccountField connected={accounts.filter((label) => label !== '')} /> : undefined}
        <button class="go" name="decision" value="continue">
          {hasProviderGrant ? 'Continue' : `Continue to ${name}`}
        </button>
        <RefuseButton />
      </form>,
      <p class="note">
        {formatExpiry(authorization, now)} Access is stored encrypted, for this user only. It can be revoked at any
        time, here or in your account at {name}.
      </p>,
    ],
  }
}

export function toolkitName({ tool }: Pick<Authorization, 'tool'>): string {
  return parseToolId(tool)?.toolkit ?? tool
}

/** Shows who requests access, to which account, for whom, and where data is sent. */
export function GrantDetails({ authorization, visit }: { authorization: Authorization; visit: GrantVisit }) {
  const { provider: id, userId = '', hosts, account, requestedBy, alsoRequestedBy = [] } = authorization
  const { provider, tool, signedInAs } = visit
  const requesters = [...(requestedBy === undefined ? [] : [requestedBy]), ...alsoRequestedBy]
  return (
    <dl>
      <Row term="Requested by" content={requesters.length > 0 ? requesters.map(quoteName).join(', ') : undefined} />
      <ToolRows id={authorization.tool} tool={tool} />
      <Row term="Provider" content={truncate(provider?.name ?? id, 100)} />
      <Row term="Account" content={account === '' ? 'default' : account && truncate(account)} />
      <Row term="Sends data to" content={hosts.length === 0 ? 'this Switchboard only' : <Codes texts={hosts} />} />
      <Row term="User" content={<strong>{truncate(userId)}</strong>} />
      <Row term="Signed in as" content={signedInAs && truncate(signedInAs)} />
    </dl>
  )
}

export function CareNote({ name, signedInAs }: { name: string; signedInAs: string | undefined }) {
  return (
    <p class="care">
      {signedInAs === undefined
        ? `Continue only if you are this user and requested this yourself. Otherwise, the person who sent you this link could use your account at ${name}.`
        : `Continue only if you requested this yourself, and with your own account at ${name}.`}
    </p>
  )
}

/** The icon, title and description come from the publisher. */
export function ToolRows({ id, tool }: { readonly id: string; readonly tool: KnownTool | undefined }) {
  const { title, icon } = tool ? getAppearance(tool.record) : {}
  return (
    <>
      <Row
        term="Tool"
        content={
          <>
            <ToolIcon path={icon} />
            <code>{id}</code>
          </>
        }
      />
      <Row term="Title" content={title && quoteName(title)} />
      <Row term="Description" content={tool && truncate(tool.record.description)} />
    </>
  )
}

/** Discovered providers may offer `offline_access`, which is then requested. */
function listImplicitScopes(provider: OAuthProvider, scopes: readonly string[]): string[] {
  const parameters = Object.entries(provider.authorization_parameters ?? {})
  const offline = parameters.filter(([, value]) => value === 'offline').map((parameter) => parameter.join('='))
  return [...listExtraScopes(provider, scopes, provider.issuer !== undefined), ...offline]
}

export function RefuseButton() {
  return (
    <button name="decision" value="refuse" formnovalidate>
      Deny
    </button>
  )
}

export function Codes({ texts }: { readonly texts: readonly string[] }) {
  return <>{texts.flatMap((text) => [<code>{truncate(text)}</code>, ' '])}</>
}

export function AccountField({ connected }: { readonly connected: readonly string[] }) {
  return (
    <label class="note">
      Label for this account (optional), such as work, if you connect several.
      {connected.length === 0 ? undefined : (
        <>
          {' '}
          Connected: <Codes texts={connected} />
        </>
      )}
      <input name="account" value="" maxlength={64} autocomplete="off" />
    </label>
  )
}

export function formatExpiry({ expiresAt }: Authorization, now: number): string {
  const minutes = Math.max(1, Math.ceil((expiresAt - now) / 60_000))
  return `This page expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
