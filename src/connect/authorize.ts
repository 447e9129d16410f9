import type { AuditAction } from '../core/access/audit-entry.ts'
import { type Agent, AGENT_SCOPES } from '../core/access/agent.ts'
import type { Catalogue } from '../core/catalogue/catalogue.ts'
import { toHolder } from '../core/access/holder.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { writeAudit } from '../http/route/audit.ts'
import type { RouteContext } from '../http/route/gate.ts'
import type { PagesDeps } from '../http/route/pages.ts'
import { isLoopback } from '../core/tool/loopback.ts'
import { isTrustworthy } from '../http/caller/loopback.ts'
import { formatRedirectTarget, isPrivateUse, isRedirectUri } from '../http/caller/redirect-uri.ts'
import { bounded } from '../http/page/text.ts'
import { failurePage, goTo, type Page, page, plainPage } from '../http/page/page.ts'
import type { SignedIn, Sessions } from '../http/caller/sessions.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import type { AuthorizationServer } from '../storage/connect/connect-store.ts'
import type { AuthorizationDetails, AuthorizationRequest } from '../storage/connect/connect-object.ts'
import { type Choice, choicesOf } from '../core/catalogue/choices.ts'
import { type FindDocument, isDocumentUrl } from './client-document.ts'
import { type Asking, askPage, DAYS, wrongRequestPage } from './pages.tsx'
import { readSelection, writeOthers } from './selection.ts'
import { FIRST_VIEW, isListAction, listOf, matching, readView, type ToolkitView } from './toolkits.tsx'

export interface AuthorizeDeps extends PagesDeps {
  readonly server: AuthorizationServer
  readonly sessions: Pick<Sessions, 'signedIn'>
  readonly catalogue: Catalogue
  readonly prepare: () => Promise<void> | undefined
  readonly findDocument: FindDocument
  readonly newId: () => string
}

interface Question {
  readonly request: AuthorizationRequest
  readonly signed: SignedIn
  readonly asked: AuthorizationDetails
  readonly asking: Asking
  readonly choices: readonly Choice[]
}

const MAX_URL = 8_192
const MAX_ADDRESS = 16_000
const TOO_LONG = wrongRequestPage(`The link is too long: wanted at most ${MAX_URL} characters`, undefined)
const BAD_REDIRECT = wrongRequestPage('Invalid redirect URI', undefined)
const MAX_NAME = 200
/** RFC 6749, section 3.1. A parameter that nobody knows, and `resource` (RFC 8707), may be repeated. */
const ONCE = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const
const CHANGED = 'The list of toolkits has changed: check your selection'
const NOT_SAFE = plainPage(400, 'HTTPS required', 'Open this Switchboard over https to connect an agent')
const SIGNED_OUT = plainPage(403, 'You are not signed in', 'Nothing has changed. Start again in your agent')

export function createAuthorize(deps: AuthorizeDeps) {
  const { server, sessions, catalogue, prepare, findDocument, shield, newId, now, writeAuditEntry } = deps

  async function questionOf(c: RouteContext, signedOut?: Page): Promise<Question | Response> {
    const url = new URL(c.req.raw.url)
    const { origin, pathname, search, searchParams } = url
    if (!isTrustworthy(url)) return page(NOT_SAFE)
    const signIn = signInPath(pathname + search)
    if (url.href.length > MAX_URL || signIn.length > MAX_ADDRESS) return page(TOO_LONG)
    const repeated = ONCE.find((name) => searchParams.getAll(name).length > 1)
    if (repeated) return page(wrongRequestPage(`The link has '${repeated}' more than once`, undefined))
    const redirectUri = searchParams.get('redirect_uri')
    // Documents of clients may list any
    if (redirectUri !== null && !isRedirectUri(redirectUri)) return page(BAD_REDIRECT)
    // Nothing is looked up or fetched for strangers
    const signed = await sessions.signedIn(c.req.raw, () => shield(c))
    if (!signed.ok) {
      if (signed.failure.type !== 'unauthenticated') return page(failurePage(signed.failure))
      return signedOut ? page(signedOut) : goTo(signIn)
    }
    const clientId = searchParams.get('client_id') ?? ''
    const found = isDocumentUrl(clientId) ? await findDocument(clientId, signed.value.admission) : undefined
    if (found?.ok === false) return page(wrongRequestPage(found.message, undefined))
    const request = { url: `${origin}${pathname}${search}`, document: found?.client }
    await prepare()
    const asked = await server.asked(request, signed.value.principal.id)
    if (!asked.ok) return page(wrongRequestPage(asked.message, asked.back))
    const choices = offered(asked, await choicesOf(signed.value.principal, catalogue))
    return { request, signed: signed.value, asked, asking: askingOf(asked), choices }
  }

  function agentOf({ signed, asked, asking }: Question, chosen: ReadonlySet<string>, days: number): Agent {
    const { principal, session } = signed
    const at = now()
    return {
      id: newId(),
      by: session.by,
      owner: principal.id,
      holder: toHolder(principal),
      client: { id: asked.client.id, name: asking.name, host: asking.host },
      toolkits: [...chosen],
      scopes: AGENT_SCOPES,
      origin: session.origin,
      created_at: new Date(at).toISOString(),
      expires_at: new Date(at + days * 86_400_000).toISOString(),
    }
  }

  function note(c: RouteContext, act: AuditAction, { signed }: Question, about: JsonObject): void {
    writeAudit(c, writeAuditEntry, now(), { act, principal: signed.principal, outcome: 'success', status: 302, about })
  }

  return {
    async ask(c: RouteContext): Promise<Response> {
      const question = await questionOf(c)
      return question instanceof Response ? question : page(askPage(await shown(question)))
    },

    async decide(c: RouteContext, form: URLSearchParams): Promise<Response> {
      const question = await questionOf(c, SIGNED_OUT)
      if (question instanceof Response) return question
      const decision = form.get('decision') ?? ''
      if (decision !== 'allow' && !isListAction(decision)) {
        note(c, 'agent.refuse', question, { name: question.asking.name, host: question.asking.host })
        return goTo(question.asked.refusal)
      }
      const days = DAYS.find((each) => String(each) === form.get('days'))
      const view = readView(form)
      const { chosen, isCurrent } = await readSelection(form, question.choices)
      const problem = isCurrent ? problemOf(decision, chosen, days) : CHANGED
      if (decision === 'all' || decision === 'none') {
        for (const { toolkit } of matching(question.choices, view, chosen)) {
          if (decision === 'all') chosen.add(toolkit)
          else chosen.delete(toolkit)
        }
      }
      if (decision !== 'allow' || days === undefined || problem !== undefined)
        return page(askPage({ ...(await shown(question, chosen, view)), days, ...(problem && { problem }) }))
      const agent = agentOf(question, chosen, days)
      const connected = await server.letIn(question.request, agent)
      if (connected.ok) {
        const { id, toolkits, expires_at } = agent
        note(c, 'agent.connect', question, {
          id,
          name: agent.client.name,
          host: question.asking.host,
          toolkits,
          expires_at,
        })
      }
      return connected.ok ? goTo(connected.to) : page(wrongRequestPage(connected.message, connected.back))
    },
  }
}

function askingOf({ client, redirectUri }: AuthorizationDetails): Asking {
  const url = new URL(redirectUri)
  const host = formatRedirectTarget(url)
  return {
    name: bounded(client.name ?? host, MAX_NAME),
    host: bounded(host, MAX_NAME),
    scheme: isPrivateUse(url) ? url.protocol : undefined,
    publishedBy: isDocumentUrl(client.id) ? new URL(client.id).host : undefined,
    isLocal: isLoopback(url.hostname),
  }
}

/** Only those that the resource's query names, if there are any: a link narrows what is offered, and chooses nothing. */
function offered({ resource = '' }: AuthorizationDetails, choices: readonly Choice[]): readonly Choice[] {
  const lists = URL.parse(resource)?.searchParams.getAll('toolkits') ?? []
  const named = new Set(lists.flatMap((each) => each.split(',')).map((each) => each.trim().toLowerCase()))
  const narrowed = choices.filter(({ toolkit }) => named.has(toolkit.toLowerCase()))
  return narrowed.length > 0 ? narrowed : choices
}

function problemOf(decision: string, chosen: ReadonlySet<string>, days: number | undefined): string | undefined {
  if (decision !== 'allow') return undefined
  if (days === undefined) return 'Choose when access expires'
  return chosen.size === 0 ? 'Select at least one toolkit, or refuse' : undefined
}

async function shown(
  { signed, asking, choices }: Question,
  chosen: ReadonlySet<string> = new Set(),
  view: ToolkitView = FIRST_VIEW,
) {
  const { by } = signed.session
  const list = listOf(choices, view, chosen)
  return {
    asking,
    person: 'person' in by ? by.person.user : toHolder(signed.principal).id,
    choices,
    chosen,
    view,
    list,
    others: await writeOthers(choices, chosen, list.shown),
  }
}
