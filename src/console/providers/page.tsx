import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'

/** As `GET /providers` lists one (`api/providers/wire.ts`). */
interface Listed {
  readonly id: string
  readonly name: string
  /** Whether it is there by the deployment's variables. */
  readonly built_in?: true
  readonly issuer?: string
  readonly authorization_endpoint?: string
  readonly client_id: string
}

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

const MORE = [
  'name',
  'revocation_endpoint',
  'token_endpoint_auth_method',
  'authorization_parameters',
  ...LISTS,
] as const

/** The OAuth providers whose tools can act for people. */
export async function show(visit: Visit): Promise<View | Leads> {
  return providersView(visit)
}

/** Gives the deployment a provider, or takes one away. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const path = `/providers/${encodeURIComponent(form.get('id')?.trim() ?? '')}`
  const reply =
    form.get('do') === 'remove' ? await visit.ask('DELETE', path) : await visit.ask('PUT', path, providerOf(form))
  return reply.ok ? { leadsTo: '/console/providers?done=1' } : providersView(visit, failureOf(reply))
}

/** The body of `PUT /providers/{id}` that a form says. */
function providerOf(form: URLSearchParams): object {
  const texts = FIELDS.map((name): [string, string] => [name, form.get(name)?.trim() ?? ''])
  const lists = LISTS.map((name): [string, string[]] => [
    name,
    (form.get(name) ?? '').split(/[\s,]+/).filter((each) => each !== ''),
  ])
  const parameters = (form.get('authorization_parameters') ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== '')),
    ...Object.fromEntries(lists.filter(([, values]) => values.length > 0)),
    ...(parameters.length === 0 ? {} : { authorization_parameters: Object.fromEntries(parameters.map(parameterOf)) }),
  }
}

/** A line `name=value`; what has no value the route judges as it is. */
function parameterOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

async function providersView(visit: Visit, failure?: SaidFailure): Promise<View> {
  const list = await visit.ask<{ items: readonly Listed[] }>('GET', '/providers')
  // After a removal that was refused, its id is not what is to be connected
  const form = visit.form.get('do') === 'remove' ? new URLSearchParams() : visit.form
  const field = (name: string) => exact(form.get(name) ?? '')
  return {
    title: 'Providers',
    status: failure?.status ?? 200,
    content: (
      <>
        {visit.url.searchParams.has('done') ? (
          <Notice>
            <p>That is done.</p>
          </Notice>
        ) : undefined}
        {failure === undefined ? undefined : <Refused failure={failure} />}
        {list.ok ? <ProviderList items={list.value.items} /> : <Refused failure={failureOf(list)} />}
        <section aria-labelledby="give">
          <h2 id="give">Connect a provider</h2>
          <p>
            Register an OAuth client there, with the redirect URI <code>{visit.url.origin}/oauth/callback</code>.
            Well-known ones, such as google and github, need only their client.
          </p>
          <form method="post">
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
            <details open={MORE.some((name) => (form.get(name) ?? '') !== '')}>
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
                      <option value={method} selected={form.get('token_endpoint_auth_method') === method}>
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
              Connect it
            </button>
          </form>
        </section>
      </>
    ),
  }
}

function ProviderList({ items }: { items: readonly Listed[] }) {
  if (items.length === 0)
    return <p>None is connected: tools that need access to people's accounts cannot be called yet.</p>
  return (
    <ul aria-label="Providers">
      {items.map(({ id, name, built_in, issuer, authorization_endpoint, client_id }) => (
        <li>
          <strong>{name}</strong> <code>{id}</code>{' '}
          {built_in ? <span class="note">by variables of the deployment</span> : undefined}
          <p class="note">
            {issuer ?? authorization_endpoint ?? ''}, as the client {client_id}
          </p>
          {built_in ? undefined : (
            <details>
              <summary aria-label={`Take it away: ${name}`}>Take it away</summary>
              <form method="post">
                <input type="hidden" name="id" value={exact(id)} />
                <button class="danger" name="do" value="remove">
                  Take it away
                </button>
              </form>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}
