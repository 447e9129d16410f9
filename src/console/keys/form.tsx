import type { ApiKey } from '../../core/access/api-key.ts'
import { type Scope, SCOPES } from '../../core/access/principal.ts'
import { type Filled, FilledFields } from '../filled.tsx'
import { LimitFields, LIMITS, limitsOf, wordsOf, writtenLimits } from '../form-fields.tsx'
import { exact } from '../parts.tsx'

/** The fields of the form, each as somebody wrote it. */
interface Written extends Readonly<Record<(typeof TEXTS)[number] | (typeof CHECKS)[number], string>> {
  readonly scopes: readonly string[]
}

const TEXTS = ['name', 'tools', 'users', 'expires', ...LIMITS] as const
const CHECKS = ['any_user', 'record_arguments'] as const

/** What each scope lets a key do. */
const WORDS: Readonly<Record<Scope, string>> = {
  'tools:read': 'find and read tools',
  'tools:call': 'call them',
  'tools:publish': 'publish and change them',
  'users:confirm': 'say who somebody is, for consent',
  'records:read': 'read who called and changed what',
  'admin': 'everything',
}

/** The body of `POST /keys` that a form says. */
export function newKeyOf(form: URLSearchParams): object {
  const [tools, users] = [wordsOf(form.get('tools')), wordsOf(form.get('users'))]
  return {
    name: form.get('name') ?? '',
    scopes: form.getAll('scope'),
    ...(tools.length === 0 ? {} : { tools }),
    ...(form.get('any_user') === '1' ? { users: 'any' } : users.length === 0 ? {} : { users }),
    ...expiryOf(form),
    ...limitsOf(form),
    ...(form.get('record_arguments') === '1' ? { record_arguments: true } : {}),
  }
}

function expiryOf(form: URLSearchParams): { readonly expires_at?: string } {
  const day = form.get('expires') ?? ''
  return day === '' ? {} : { expires_at: `${day}T23:59:59Z` }
}

/**
 * The body of `PATCH /keys/{id}` that a form says of a key: what differs in it from how the form was filled, so that nothing else
 * changes, such as the hour of an expiry, or a key for no tool to one for all.
 */
export function keyChangeOf(form: URLSearchParams, key: ApiKey): object {
  const [was, is] = [writtenOf(key), writtenIn(form)]
  const differs = (...names: readonly (keyof Written)[]) =>
    names.some((name) => [was[name]].flat().sort().join(' ') !== [is[name]].flat().sort().join(' '))
  const { limits = null } = limitsOf(form)
  const { expires_at = null } = expiryOf(form)
  const tools = wordsOf(is.tools)
  return {
    ...(differs('name') ? { name: is.name } : {}),
    ...(differs('scopes') ? { scopes: is.scopes } : {}),
    ...(differs('tools') ? { tools: tools.length === 0 ? ['*'] : tools } : {}),
    ...(differs('users', 'any_user') ? { users: is.any_user === '1' ? 'any' : wordsOf(is.users) } : {}),
    ...(differs('expires') ? { expires_at } : {}),
    ...(differs(...LIMITS) ? { limits } : {}),
    ...(differs('record_arguments') ? { record_arguments: is.record_arguments === '1' } : {}),
  }
}

export function writtenIn(form: URLSearchParams): Written {
  const given = [...TEXTS, ...CHECKS].map((name) => [name, form.get(name)?.trim() ?? ''])
  return { ...writtenOf(undefined), ...Object.fromEntries(given), scopes: form.getAll('scope') }
}

/** A key as the form says it; without one, what most keys are for. */
export function writtenOf(key: ApiKey | undefined): Written {
  const { users = [], limits } = key ?? {}
  return {
    name: key?.name ?? '',
    scopes: key?.scopes ?? ['tools:read', 'tools:call'],
    tools: key?.tools.join(' ') ?? '',
    users: users === 'any' ? '' : users.join(' '),
    any_user: users === 'any' ? '1' : '',
    expires: key?.expires_at?.slice(0, 10) ?? '',
    ...writtenLimits(limits),
    record_arguments: key?.record_arguments ? '1' : '',
  }
}

/** Makes a key or, where it is filled with one, changes that. */
export function KeyForm({ filled, ...written }: Written & { readonly filled: Filled | undefined }) {
  const field = (name: (typeof TEXTS)[number]) => exact(written[name])
  const hasMore = LIMITS.some((name) => written[name] !== '') || written.record_arguments !== ''
  return (
    <form method="post" action="/console/keys">
      <input type="hidden" name="do" value={filled === undefined ? 'make' : 'change'} />
      {filled === undefined ? undefined : (
        <>
          <input type="hidden" name="id" value={exact(filled.of)} />
          <FilledFields {...filled} />
        </>
      )}
      <label>
        Name
        <input name="name" required maxlength={100} value={field('name')} autocomplete="off" />
      </label>
      <fieldset class="choices">
        <legend>It may</legend>
        {SCOPES.map((scope) => (
          <label class="choice">
            <input type="checkbox" name="scope" value={scope} checked={written.scopes.includes(scope)} />
            <span>
              {scope} <span class="note">{WORDS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label>
        Tools <span class="note">patterns such as Gmail.*; all (*) where nothing is said</span>
        <input name="tools" value={field('tools')} autocomplete="off" />
      </label>
      <label>
        For users <span class="note">none where nothing is said</span>
        <input name="users" value={field('users')} autocomplete="off" />
      </label>
      <label class="choice">
        <input type="checkbox" name="any_user" value="1" checked={written.any_user !== ''} />
        <span>For any user</span>
      </label>
      <label>
        Last day <span class="note">in UTC; it does not expire where nothing is said</span>
        <input type="date" name="expires" value={field('expires')} />
      </label>
      <details open={hasMore}>
        <summary>How often it may call, and what is recorded</summary>
        <div class="fields">
          <LimitFields title="It may call" {...written} />
          <label class="choice">
            <input type="checkbox" name="record_arguments" value="1" checked={written.record_arguments !== ''} />
            <span>Records of its calls hold their arguments, without secrets</span>
          </label>
        </div>
      </details>
      <button class="go">{filled === undefined ? 'Make the key' : 'Save the key'}</button>
    </form>
  )
}
