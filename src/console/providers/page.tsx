import { type Provider, providerReader } from '../../core/consent/provider.ts'
import { schemaOf } from '../../core/tool/json-reader.ts'
import { EditForm, editFields, editView, filledWith, staleness, trimmed } from '../form/edit.tsx'
import { formOf, readInput } from '../form/values.ts'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'

/** As `GET /providers` lists one (`api/providers/wire.ts`). */
interface Listed extends Provider {
  /** Whether it is there by the deployment's variables. */
  readonly built_in?: true
}

const FIELDS = editFields(schemaOf(providerReader('{id}')), {
  key: 'id',
  description: 'What tools call it: google, acme',
})
const FOLDED = {
  summary: 'What some providers need beside',
  keys: [
    'name',
    'revocation_endpoint',
    'token_endpoint_auth_method',
    'authorization_parameters',
    'extra_scopes',
    'scope_separator',
    'tools',
  ],
}

/** The OAuth providers whose tools can act for people. */
export async function show(visit: Visit): Promise<View | Leads> {
  return providersView(visit)
}

/** Gives the deployment a provider, or takes one away. */
export async function act(visit: Visit): Promise<View | Leads> {
  const form = trimmed(visit.form, 'input/scope_separator')
  const id = form.get('input/id') ?? ''
  const path = `/providers/${encodeURIComponent(id)}`
  if (form.get('do') === 'remove') {
    const removed = await visit.ask('DELETE', path)
    return removed.ok ? { leadsTo: '/console/providers?done=1' } : providersView(visit, { failure: failureOf(removed) })
  }
  const stale = form.has('filled_of') ? await staleGiving(visit, form, id) : undefined
  if (stale) return providersView(visit, { failure: stale, chosen: id })
  const { input, problems } = readInput(FIELDS, form)
  const { id: _, ...provider } = input
  const chosen = form.get('filled_of')
  if (problems.length > 0) {
    return providersView(visit, { failure: { status: 400, message: 'Nothing was sent', problems }, form, chosen })
  }
  const given = await visit.ask('PUT', path, provider)
  if (given.ok) return { leadsTo: '/console/providers?done=1' }
  return providersView(visit, { failure: failureOf(given), form, chosen })
}

async function staleGiving(visit: Visit, form: URLSearchParams, id: string): Promise<SaidFailure | undefined> {
  const list = await visit.ask<{ items: readonly Listed[] }>('GET', '/providers')
  if (!list.ok) return failureOf(list)
  const provider = list.value.items.find((each) => each.id === id)
  return staleness(form, FIELDS, id, provider)
}

/** How a form ended that is not done. */
interface Ended {
  readonly failure?: SaidFailure
  /** As it was written. */
  readonly form?: URLSearchParams
  /** The provider that the form is filled with. */
  readonly chosen?: string | null
}

async function providersView(visit: Visit, { failure, form, chosen }: Ended = {}): Promise<View> {
  const list = await visit.ask<{ items: readonly Listed[] }>('GET', '/providers')
  const { searchParams, origin } = visit.url
  const wanted = chosen ?? searchParams.get('id')
  const provider = list.value.items?.find(({ id }) => id === wanted)
  return editView({
    title: 'Providers',
    done: searchParams.has('done') ? 'That is done.' : undefined,
    failure,
    list: list.ok ? <ProviderList items={list.value.items} /> : <Refused failure={failureOf(list)} />,
    id: 'give',
    heading: provider === undefined ? 'Connect a provider' : `Change the provider ${provider.id}`,
    form: (
      <>
        <p>
          Register an OAuth client there, with the redirect URI <code>{origin}/oauth/callback</code>. Well-known ones,
          such as google and github, need only their client.
        </p>
        <EditForm
          fields={FIELDS}
          form={form ?? formOf(FIELDS, provider)}
          problems={form && failure?.problems}
          folded={FOLDED}
          filled={provider && filledWith(FIELDS, provider.id, provider, form)}
          action="/console/providers"
          act="give"
          button={provider === undefined ? 'Connect it' : 'Save it'}
        />
      </>
    ),
  })
}

function ProviderList({ items }: { items: readonly Listed[] }) {
  if (items.length === 0) {
    return <Notice>None is connected: tools that need access to people's accounts cannot be called yet.</Notice>
  }
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
            <p>
              <a
                href={`/console/providers?${new URLSearchParams({ id })}#give`}
                aria-label={`Change the provider ${id}`}
              >
                Change
              </a>
            </p>
          )}
          {built_in ? undefined : (
            <details>
              <summary aria-label={`Take it away: ${name}`}>Take it away</summary>
              <form method="post" action="/console/providers">
                <input type="hidden" name="input/id" value={exact(id)} />
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
