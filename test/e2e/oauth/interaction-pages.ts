import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'

const PATH = /^\/interaction\/([\w-]+)$/

/**
 * Serves the provider's pages on which a person signs in and consents: `GET` shows a form, `POST` accepts it. Returns false
 * for a request to another page.
 */
export async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!PATH.test(request.url ?? '')) return false
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
  const asked = prompt.details.missingOIDCScope ?? (params['scope'] ?? '').split(' ')
  if (request.method !== 'POST') {
    const page = prompt.name === 'login' ? LOGIN : consentPage(session?.accountId ?? '', asked)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    return true
  }

  const form = new URLSearchParams(await textOf(request))
  if (form.get('decision') === 'deny') {
    const result = { error: 'access_denied', error_description: 'The person said no' }
    await provider.interactionFinished(request, response, result)
  } else if (prompt.name === 'login') {
    const result = { login: { accountId: form.get('name') } }
    await provider.interactionFinished(request, response, result)
  } else {
    const allowed = new Set(form.getAll('scope'))
    const given = { accountId: session?.accountId ?? '', clientId: params['client_id'] ?? '' }
    const grant = (grantId === undefined ? undefined : await provider.Grant.find(grantId)) ?? new provider.Grant(given)
    for (const scope of asked) {
      if (allowed.has(scope)) grant.addOIDCScope(scope)
      else grant.rejectOIDCScope(scope)
    }
    const consent = { consent: { grantId: await grant.save() } }
    await provider.interactionFinished(request, response, consent, { mergeWithLastSubmission: true })
  }
  return true
}

/** Builds a page with a link back, in place of the provider's redirect. */
export function returnPage(location: string): string {
  return page('Done', `<p><a id="back" href="${escaped(location)}">Back to the app</a></p>`)
}

const LOGIN = page(
  'Sign in',
  `<form method="post">
    <label>Name <input name="name" required autocomplete="off"></label>
    <button name="decision" value="login">Sign in</button>
    <button name="decision" value="deny" formnovalidate>Cancel</button>
  </form>`,
)

function consentPage(account: string, scopes: readonly string[]): string {
  const boxes = scopes.map(
    (scope) =>
      `<p><label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ${escaped(scope)}</label>`,
  )
  return page(
    `May this app act for ${escaped(account)}?`,
    `<form method="post">
      ${boxes.join('\n')}
      <p><button name="decision" value="allow">Allow</button>
      <button name="decision" value="deny">Deny</button>
    </form>`,
  )
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

export async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
