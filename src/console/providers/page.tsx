import type { ApiAnswers } from '../../api/answers.ts'
import { clientVariables, knownProvider, knownProviderIds } from '../../core/consent/known-providers.ts'
import { credentialProviderReader } from '../../core/consent/credential-provider-reader.ts'
import { oauthProviderReader } from '../../core/consent/provider-reader.ts'
import { toJsonSchema } from '../../core/tool/json-reader.ts'
import { listEditFields, renderEditPage, readEtag, toRefusedForm, type SubmittedForm, trimForm } from '../form/edit.tsx'
import { readFormInput } from '../form/values.ts'
import type { PageResult, PageContext, Reply, View } from '../page-context.ts'
import { Copyable } from '../../http/page/rows.tsx'
import { Chips, ConfirmForm, exact, Notice, toReplyView } from '../parts.tsx'
import { buildQuery } from '../query.ts'

const PATH = '/console/providers'
const ID = { key: 'id', description: 'Short name that tools refer to, e.g. google' }
const FIELDS = listEditFields(toJsonSchema(oauthProviderReader('{id}')), ID)
const KIND_WORDS = {
  api_key: 'an API key',
  bearer: 'a personal access token',
  basic: 'a user name and password',
  fields: 'a credential of several fields',
} as const

const KIND_NOTES = Object.entries(KIND_WORDS).map(([kind, words]) => `${kind}: ${words}`)
const CREDENTIAL_FIELDS = listEditFields(toJsonSchema(credentialProviderReader('{id}', () => undefined)), ID).map(
  (field) => (field.key === 'kind' ? { ...field, description: KIND_NOTES.join('; ') } : field),
)
const CREDENTIAL_FORM = {
  id: 'give',
  verb: 'give',
  fields: CREDENTIAL_FIELDS,
  folded: { summary: 'Advanced settings', keys: ['fields', 'tools'] },
  action: `${PATH}?${buildQuery({ entered: '1' })}`,
  heading: 'Add a provider whose people enter a key or password',
  intro: <p>When a tool first needs it, each person enters their own on a page of this deployment.</p>,
  button: 'Add provider',
}
type Provider = ApiAnswers['GET /providers']['items'][number]

const DONE_MESSAGES = new Map([['1', 'Saved.']])
const CLIENT_KEYS = ['id', 'client_id', 'client_secret_name']
const ENDPOINT_KEYS = ['issuer', 'authorization_endpoint', 'token_endpoint']

export async function submit(context: PageContext): Promise<PageResult> {
  const form = trimForm(context.form, 'input/scope_separator')
  const id = form.get('input/id') ?? ''
  if (form.get('do') === 'remove') {
    const removal = await context.fetchRoute('DELETE /providers/:id', { id })
    return removal.ok ? { redirectTo: `${PATH}?done=1` } : show(context, removal)
  }
  if (form.get('do') === 'test') return show(context, {}, await context.fetchRoute('POST /providers/:id/test', { id }))
  const isCredential = form.has('input/kind')
  const { input, problems } = readFormInput(isCredential ? CREDENTIAL_FIELDS : FIELDS, form)
  if (problems.length > 0)
    return show(context, { failure: { status: 400, message: 'The form has errors', problems }, form })
  const { id: _, ...fields } = input
  const body = isCredential ? { kind: '', ...fields } : fields
  const etag = readEtag(form, id, context.url.searchParams.get('id'))
  const response = await context.fetchRoute('PUT /providers/:id', { id, body, etag })
  return response.ok ? { redirectTo: `${PATH}?done=1` } : show(context, toRefusedForm(response, form))
}

type TestReply = Reply<ApiAnswers['POST /providers/:id/test']>

export async function show(context: PageContext, submitted?: SubmittedForm, tested?: TestReply): Promise<View> {
  const { searchParams, origin } = context.url
  const id = searchParams.get('id')
  const knownId = searchParams.get('known') ?? ''
  const known = knownProvider(knownId)
  const intro = (
    <>
      <p>Register an OAuth client with {known?.name ?? 'the provider'}, with this redirect URI:</p>
      <Copyable text={`${origin}/oauth/callback`} />
    </>
  )
  const folded = foldAllBut([...CLIENT_KEYS, ...ENDPOINT_KEYS])
  const shared = { id: 'give', intro, fields: FIELDS, folded, verb: 'give' }
  const knownForm = known && {
    action: `${PATH}?${buildQuery({ known: knownId })}`,
    folded: foldAllBut(CLIENT_KEYS),
    value: { id: knownId, client_secret_name: clientVariables(knownId).clientSecret },
  }
  return renderEditPage<Provider>(context, {
    title: 'Providers',
    doneMessages: DONE_MESSAGES,
    submitted,
    introduction:
      tested &&
      toReplyView(tested, ({ ok, steps }) => (
        <Notice isProblem={!ok}>
          <p>
            <strong>Test of {context.form.get('input/id')}</strong>
          </p>
          <ul class="checks">
            {steps.map(({ state, message }) => (
              <li class={state === 'ok' ? 'ok' : 'off'}>{message}</li>
            ))}
          </ul>
        </Notice>
      )),
    items: context.fetchRoute('GET /providers'),
    item: id ? context.fetchRoute('GET /providers/:id', { id }) : undefined,
    renderList: (providers) => (
      <>
        <ProviderList items={providers} />
        <p>Add a well-known provider, which needs only a client ID and secret, or another one below:</p>
        <Chips label="Well-known providers" chips={listKnownChips(providers, knownId)} />
        <p>
          <a href={`${CREDENTIAL_FORM.action}#give`}>{CREDENTIAL_FORM.heading}</a>, where there is no OAuth.
        </p>
      </>
    ),
    buildForm(provider) {
      const isCredential = provider ? 'kind' in provider : searchParams.has('entered')
      if (!provider && isCredential) return CREDENTIAL_FORM
      if (!provider) return { ...shared, action: PATH, ...knownForm, heading: 'Add provider', button: 'Add provider' }
      const edit = { heading: `Edit provider ${provider.id}`, action: buildHref(provider.id), button: 'Save provider' }
      return { ...(isCredential ? CREDENTIAL_FORM : shared), ...edit }
    },
  })
}

function foldAllBut(unfoldedKeys: readonly string[]) {
  return {
    summary: 'Advanced settings',
    keys: FIELDS.map(({ key }) => key).filter((key) => !unfoldedKeys.includes(key)),
  }
}

function buildHref(id: string): string {
  return `${PATH}?${new URLSearchParams({ id })}`
}

function listKnownChips(providers: readonly Provider[], currentId: string) {
  return knownProviderIds
    .filter((id) => !providers.some((provider) => provider.id === id))
    .map((id) => ({
      text: knownProvider(id)?.name ?? id,
      href: `${PATH}?${buildQuery({ known: id })}#give`,
      isCurrent: id === currentId,
    }))
}

function ProviderList({ items }: { items: readonly Provider[] }) {
  if (items.length === 0)
    return <Notice>No providers yet. Tools that need access to people's accounts cannot be called.</Notice>
  return (
    <ul class="cards" aria-label="Providers">
      {items.map((provider) => {
        const { id, name } = provider
        const built_in = 'built_in' in provider && provider.built_in
        const about =
          'kind' in provider
            ? `people enter ${KIND_WORDS[provider.kind]}`
            : `${provider.issuer ?? provider.authorization_endpoint ?? ''}, client ${provider.client_id}`
        return (
          <li>
            <strong>{name}</strong> {name.toLowerCase() === id ? undefined : <code>{id}</code>}{' '}
            {built_in ? <span class="note">set by variables</span> : undefined}
            <p class="note">{about}</p>
            <form method="post" action={PATH}>
              <input type="hidden" name="input/id" value={exact(id)} />
              <button class="quiet" name="do" value="test" aria-label={`Test provider ${id}`}>
                Test
              </button>
            </form>
            {built_in ? undefined : (
              <>
                <p>
                  <a href={`${buildHref(id)}#give`} aria-label={`Edit provider ${id}`}>
                    Edit
                  </a>
                </p>
                <ConfirmForm
                  id={`remove-${id}`}
                  label="Remove"
                  name={`Remove provider ${name}`}
                  question="Tools that need it cannot use people's accounts there until it is added again."
                  action={PATH}
                >
                  <input type="hidden" name="do" value="remove" />
                  <input type="hidden" name="input/id" value={exact(id)} />
                </ConfirmForm>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}
