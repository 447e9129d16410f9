import type { Provider } from '../../core/consent/provider.ts'
import { filledWith, staleness } from '../filled.tsx'
import type { Leads, View, Visit } from '../page.ts'
import { exact, Notice, Refused } from '../parts.tsx'
import { failureOf, type SaidFailure } from '../reply.ts'
import { ProviderForm, providerOf, writtenIn, writtenOf } from './form.tsx'

/** As `GET /providers` lists one (`api/providers/wire.ts`). */
interface Listed extends Provider {
  /** Whether it is there by the deployment's variables. */
  readonly built_in?: true
}

/** The OAuth providers whose tools can act for people. */
export async function show(visit: Visit): Promise<View | Leads> {
  return providersView(visit)
}

/** Gives the deployment a provider, or takes one away. */
export async function act(visit: Visit): Promise<View | Leads> {
  const { form } = visit
  const id = form.get('id')?.trim() ?? ''
  const path = `/providers/${encodeURIComponent(id)}`
  const stale = form.get('do') === 'give' && form.has('filled_of') ? await staleGiving(visit, id) : undefined
  if (stale) return providersView(visit, stale, { stale: id })
  const reply =
    form.get('do') === 'remove' ? await visit.ask('DELETE', path) : await visit.ask('PUT', path, providerOf(form))
  return reply.ok ? { leadsTo: '/console/providers?done=1' } : providersView(visit, failureOf(reply))
}

async function staleGiving(visit: Visit, id: string): Promise<SaidFailure | undefined> {
  const list = await visit.ask<{ items: readonly Listed[] }>('GET', '/providers')
  if (!list.ok) return failureOf(list)
  return staleness(visit.form, id, writtenOf(list.value.items.find((each) => each.id === id)))
}

async function providersView(
  visit: Visit,
  failure?: SaidFailure,
  { stale }: { readonly stale?: string } = {},
): Promise<View> {
  const list = await visit.ask<{ items: readonly Listed[] }>('GET', '/providers')
  const { form } = visit
  const chosen = list.value.items?.find(({ id }) => id === idOf(visit, stale))
  // After a removal that was refused, its id is not what is to be connected
  const isSaid = form.get('do') === 'give' && stale === undefined
  const written = isSaid ? writtenIn(form) : writtenOf(chosen)
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
          <h2 id="give">{chosen === undefined ? 'Connect a provider' : `Change the provider ${chosen.id}`}</h2>
          <p>
            Register an OAuth client there, with the redirect URI <code>{visit.url.origin}/oauth/callback</code>.
            Well-known ones, such as google and github, need only their client.
          </p>
          <ProviderForm
            {...written}
            filled={chosen && filledWith(chosen.id, writtenOf(chosen), isSaid ? form : undefined)}
          />
        </section>
      </>
    ),
  }
}

/** Of the provider that the form is filled with. */
function idOf({ form, url }: Visit, stale: string | undefined): string | null {
  return stale ?? form.get('filled_of') ?? url.searchParams.get('id')
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
