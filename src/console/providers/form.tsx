import type { Provider } from '../../core/consent/provider.ts'
import { type Filled, FilledFields } from '../filled.tsx'
import { wordsOf } from '../form-fields.tsx'
import { exact } from '../parts.tsx'

const FIELDS = [
  'name',
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'client_id',
  'client_secret_name',
  'token_endpoint_auth_method',
] as const
const LISTS = ['extra_scopes', 'tools'] as const
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
/** What most providers do without. */
const MORE = [
  'name',
  'revocation_endpoint',
  'token_endpoint_auth_method',
  'authorization_parameters',
  'scope_separator',
  ...LISTS,
] as const

/** The fields of the form, each as somebody wrote it. */
type Written = Readonly<Record<(typeof FIELDS)[number] | (typeof MORE)[number] | 'id', string>>

/** The body of `PUT /providers/{id}` that a form says. */
export function providerOf(form: URLSearchParams): object {
  const texts = FIELDS.map((name): [string, string] => [name, form.get(name)?.trim() ?? ''])
  // Which may be a space
  const separator = form.get('scope_separator') ?? ''
  const lists = LISTS.map((name): [string, string[]] => [name, wordsOf(form.get(name))])
  const parameters = (form.get('authorization_parameters') ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== '')),
    ...(separator === '' ? {} : { scope_separator: separator }),
    ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
    ...(parameters.length === 0 ? {} : { authorization_parameters: Object.fromEntries(parameters.map(parameterOf)) }),
  }
}

/** A line `name=value`; what has no value the route judges as it is. */
function parameterOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

export function writtenIn(form: URLSearchParams): Written {
  const given = ['id', ...FIELDS, ...MORE].map((name) => [name, form.get(name) ?? ''])
  return { ...writtenOf(undefined), ...Object.fromEntries(given) }
}

/** A provider as the form says it; an empty form where there is none. */
export function writtenOf(provider: Provider | undefined): Written {
  const { extra_scopes = [], tools = [], authorization_parameters = {} } = provider ?? {}
  return {
    id: provider?.id ?? '',
    name: provider?.name ?? '',
    issuer: provider?.issuer ?? '',
    authorization_endpoint: provider?.authorization_endpoint ?? '',
    token_endpoint: provider?.token_endpoint ?? '',
    revocation_endpoint: provider?.revocation_endpoint ?? '',
    client_id: provider?.client_id ?? '',
    client_secret_name: provider?.client_secret_name ?? '',
    token_endpoint_auth_method: provider?.token_endpoint_auth_method ?? '',
    scope_separator: provider?.scope_separator ?? '',
    extra_scopes: extra_scopes.join(' '),
    tools: tools.join(' '),
    authorization_parameters: Object.entries(authorization_parameters)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  }
}

export function ProviderForm({ filled, ...written }: Written & { readonly filled: Filled | undefined }) {
  const field = (name: keyof Written) => exact(written[name])
  return (
    <form method="post" action="/console/providers">
      {filled && <FilledFields {...filled} />}
      <label>
        Id <span class="note">what tools call it: google, acme</span>
        <input name="id" required maxlength={128} value={field('id')} autocomplete="off" />
      </label>
      <label>
        Issuer <span class="note">where it can be discovered</span>
        <input name="issuer" value={field('issuer')} placeholder="https://login.acme.com" />
      </label>
      <label>
        Or its authorization endpoint
        <input name="authorization_endpoint" value={field('authorization_endpoint')} />
      </label>
      <label>
        and token endpoint
        <input name="token_endpoint" value={field('token_endpoint')} />
      </label>
      <label>
        Client id
        <input name="client_id" value={field('client_id')} autocomplete="off" />
      </label>
      <label>
        Name of its client secret <span class="note">a secret of the Worker, never the secret itself</span>
        <input name="client_secret_name" value={field('client_secret_name')} autocomplete="off" />
      </label>
      <details open={MORE.some((name) => written[name] !== '')}>
        <summary>What some providers need beside</summary>
        <div class="fields">
          <label>
            Name <span class="note">what people call it</span>
            <input name="name" maxlength={100} value={field('name')} autocomplete="off" />
          </label>
          <label>
            Revocation endpoint
            <input name="revocation_endpoint" value={field('revocation_endpoint')} />
          </label>
          <label>
            The client says who it is by
            <select name="token_endpoint_auth_method">
              <option value="">what fits its secret</option>
              {AUTH_METHODS.map((method) => (
                <option value={method} selected={written.token_endpoint_auth_method === method}>
                  {method}
                </option>
              ))}
            </select>
          </label>
          <label>
            Further scopes <span class="note">such as offline_access, where that gives a refresh token</span>
            <input name="extra_scopes" value={field('extra_scopes')} autocomplete="off" />
          </label>
          <label>
            What stands between scopes <span class="note">a space where nothing is said; a comma at some</span>
            <input name="scope_separator" maxlength={2} value={field('scope_separator')} autocomplete="off" />
          </label>
          <label>
            Further parameters of its page <span class="note">one a line, such as access_type=offline</span>
            <textarea name="authorization_parameters" spellcheck={false}>
              {field('authorization_parameters')}
            </textarea>
          </label>
          <label>
            Tools that may use it <span class="note">patterns such as Gmail.*; all where nothing is said</span>
            <input name="tools" value={field('tools')} autocomplete="off" />
          </label>
        </div>
      </details>
      <button class="go" name="do" value="give">
        {filled ? 'Save it' : 'Connect it'}
      </button>
    </form>
  )
}
