import type { Authorization } from '../../core/consent/authorization.ts'
import { type CredentialProvider, MAX_CREDENTIAL } from '../../core/consent/credential-provider.ts'
import type { Page } from '../../http/page/page.ts'
import { truncate } from '../../http/page/text.ts'
import {
  AccountField,
  CareNote,
  formatExpiry,
  GrantDetails,
  type GrantVisit,
  RefuseButton,
  toolkitName,
} from './grant-page.tsx'

/** The prefix of fields that a person fills in, before the field's name. */
export const VALUE_PREFIX = 'value/'
/** The URL of the check that the page showed. */
export const CHECK_FIELD = 'check'

/**
 * Asks for a key, a token or a password. If a user verifier must first identify the person, the page links there, and asks
 * after they return, because entered values would be lost on the way.
 */
export function credentialPage(
  authorization: Authorization,
  visit: GrantVisit & { readonly provider: CredentialProvider },
  now: number,
): Page {
  const { provider, signedInAs, mustConfirm } = visit
  const { account, accounts = [] } = authorization
  const { check, help, help_url: helpUrl } = provider
  const name = truncate(provider.name, 100)
  const toolkit = toolkitName(authorization)
  return {
    status: 200,
    title: `Allow ${toolkit} to use your ${name} account?`,
    body: [
      <GrantDetails authorization={authorization} visit={visit} />,
      <p>
        This allows all tools of the toolkit <code>{toolkit}</code> to use what you enter, at these addresses only.
        {check && (
          <>
            {' '}
            It is tried first at <code>{truncate(new URL(check.url.replaceAll(/[{}]/g, '')).host)}</code>, and stored
            only if that accepts it.
          </>
        )}
      </p>,
      help && <p>{truncate(help, 500)}</p>,
      helpUrl && (
        <p>
          <a href={helpUrl} rel="noreferrer noopener" target="_blank">
            Get one at {truncate(helpUrl, 100)}
          </a>
        </p>
      ),
      <CareNote name={name} signedInAs={signedInAs} />,
      <form method="post" autocomplete="off">
        {mustConfirm ? undefined : (
          <>
            <input type="hidden" name={CHECK_FIELD} value={check?.url ?? ''} />
            {provider.fields.map((field) => (
              <label>
                {truncate(field.label, 100)}
                <input
                  name={`${VALUE_PREFIX}${field.name}`}
                  type={field.isSecret ? 'password' : 'text'}
                  required
                  maxlength={MAX_CREDENTIAL}
                  autocomplete="off"
                  spellcheck={false}
                />
                {field.help && <span class="note">{truncate(field.help, 500)}</span>}
              </label>
            ))}
            {account === undefined ? <AccountField connected={accounts.filter((label) => label !== '')} /> : undefined}
          </>
        )}
        <button class="go" name="decision" value={mustConfirm ? 'continue' : 'enter'}>
          {mustConfirm ? 'Continue' : 'Connect'}
        </button>
        <RefuseButton />
      </form>,
      <p class="note">
        {formatExpiry(authorization, now)} What you enter is stored encrypted, for this user only, and never shown
        again. You can disconnect it here at any time; to end it everywhere, end it at {name}.
      </p>,
    ],
  }
}
