import type { AuditAction } from '../core/access/audit-entry.ts'
import { type Agent, AGENT_SCOPES } from '../core/access/agent.ts'
import type { Toolset } from '../core/access/toolset.ts'
import { formatUnknownToolset } from '../core/access/agent-resource.ts'
import { readUrlToolset, stripQuery } from '../core/access/toolset-url.ts'
import type { Catalog } from '../core/catalog/catalog.ts'
import { toHolder } from '../core/access/holder.ts'
import type { Principal } from '../core/access/principal.ts'
import type { WaitUntil } from '../core/tool/platform.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { writeAudit } from '../http/route/audit.ts'
import { getBackground, type RouteContext } from '../http/route/authorizer.ts'
import type { PagesDeps } from '../http/route/page-router.ts'
import { isLoopback } from '../core/tool/loopback.ts'
import { isSecureOrigin } from '../http/caller/loopback.ts'
import { formatRedirectTarget, isPrivateUse, isRedirectUri } from '../http/caller/redirect-uri.ts'
import { truncate } from '../http/page/text.ts'
import { failurePage, redirectResponse, type Page, page, plainPage } from '../http/page/page.ts'
import type { Agents } from '../http/caller/agents.ts'
import type { SignedInSession, Sessions } from '../http/caller/sessions.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import type { AuthorizationServer } from '../storage/connect/connect-store.ts'
import type { AuthorizationDetails, AuthorizationRequest } from '../storage/connect/connect-object.ts'
import { type ToolkitChoice, listToolkitChoices } from '../core/catalog/choices.ts'
import { type FindDocument, isDocumentUrl } from './client-document.ts'
import { type ClientSummary, consentPage, EXPIRY_DAYS, requestErrorPage } from './pages.tsx'
import { parseSelection, encodeHiddenSelection } from './selection.ts'
import { INITIAL_VIEW, isListAction, paginateChoices, filterChoices, readView, type ToolkitView } from './toolkits.tsx'

export interface AuthorizeDeps extends PagesDeps {
  readonly server: AuthorizationServer
  readonly sessions: Pick<Sessions, 'findSession'>
  readonly confirmAgent: Agents['confirm']
  readonly catalog: Catalog
  readonly installBundle: () => Promise<void> | undefined
  readonly findDocument: FindDocument
  /** Also undefined for disabled toolsets. */
  readonly findToolset: (name: string) => Promise<Toolset | undefined>
  /** Limits the principal to the view of its toolset. */
  readonly narrow: (principal: Principal, background: WaitUntil) => Promise<Principal>
  readonly newId: () => string
}

interface ConsentPrompt {
  readonly request: AuthorizationRequest
  readonly signed: SignedInSession
  readonly details: AuthorizationDetails
  readonly clientSummary: ClientSummary
  readonly toolset: Toolset | undefined
  readonly choices: readonly ToolkitChoice[]
}

const MAX_URL = 8_192
const MAX_SIGN_IN_PATH = 16_000
const TOO_LONG = requestErrorPage(`The link is too long: wanted at most ${MAX_URL} characters`, undefined)
const BAD_REDIRECT = requestErrorPage('Invalid redirect URI', undefined)
const MAX_NAME = 200
/** RFC 6749, section 3.1. Unknown parameters and `resource` (RFC 8707) may be repeated. */
const NON_REPEATABLE = [
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

/**
 * The OAuth authorization endpoint for agents. GET checks, in this order: https (http on loopback) > length, repeated
 * parameters (RFC 6749, section 3.1) and redirect URI > session > client metadata document > the request, with PKCE; then
 * shows the consent page. POST checks the same, then changes the shown list, refuses (`access_denied`) or allows.
 *
 * A bad request gets a page with a link back, and is never redirected. A selection from another list is rejected.
 * `toolkits` in `resource` (RFC 8707) only narrows the choice. An agent whose resource is a toolset's is bound to the toolset.
 * Both decisions are audited.
 */
export function createAuthorizationEndpoint(deps: AuthorizeDeps) {
  const { server, sessions, catalog, installBundle, findDocument, limitAnonymous, newId, now } = deps
  const { findToolset, narrow, confirmAgent, writeAuditEntry } = deps

  async function loadPrompt(c: RouteContext, signedOut?: Page): Promise<ConsentPrompt | Response> {
    const url = new URL(c.req.raw.url)
    const { origin, pathname, search, searchParams } = url
    if (!isSecureOrigin(url)) return page(NOT_SAFE)
    const signIn = signInPath(pathname + search)
    if (url.href.length > MAX_URL || signIn.length > MAX_SIGN_IN_PATH) return page(TOO_LONG)
    const repeated = NON_REPEATABLE.find((name) => searchParams.getAll(name).length > 1)
    if (repeated) return page(requestErrorPage(`The link has '${repeated}' more than once`, undefined))
    const redirectUri = searchParams.get('redirect_uri')
    // Reading a client's document does not check its redirect URIs, so the URI is checked here
    if (redirectUri !== null && !isRedirectUri(redirectUri)) return page(BAD_REDIRECT)
    const toolsetName = readUrlToolset(stripQuery(searchParams.get('resource') ?? ''))
    const limitFailure = toolsetName === undefined ? undefined : limitAnonymous(c)
    if (limitFailure) return page(failurePage(limitFailure.failure))
    const toolset = toolsetName === undefined ? undefined : await findToolset(toolsetName)
    if (toolsetName !== undefined && !toolset)
      return page({ ...requestErrorPage(formatUnknownToolset(toolsetName), undefined), status: 404 })
    const clientId = searchParams.get('client_id') ?? ''
    // Nothing is looked up or fetched for strangers, and a registered client is kept while they sign in
    const sessionResult = await sessions.findSession(c.req.raw, () => limitAnonymous(c))
    if (!sessionResult.ok) {
      if (sessionResult.failure.type !== 'unauthenticated') return page(failurePage(sessionResult.failure))
      if (signedOut) return page(signedOut)
      if (!isDocumentUrl(clientId)) await server.noteRequested(clientId, c.req.raw.headers.get('cf-connecting-ip'))
      return redirectResponse(signIn)
    }
    const document = isDocumentUrl(clientId)
      ? await findDocument(clientId, sessionResult.value.fetchCapability)
      : undefined
    if (document?.ok === false) return page(requestErrorPage(document.message, undefined))
    const request = { url: `${origin}${pathname}${search}`, document: document?.client }
    await installBundle()
    const details = await server.readAuthorizationRequest(request, sessionResult.value.principal.id)
    if (!details.ok) return page(requestErrorPage(details.message, details.back))
    const person = sessionResult.value.principal
    if (toolset && (person.toolset ?? toolset.name) !== toolset.name)
      return page(requestErrorPage(`You signed in with a key for the toolset '${person.toolset}'`, details.refusal))
    const boundPrincipal = toolset ? { ...person, toolset: toolset.name } : person
    const isWhole = boundPrincipal.toolset === undefined && boundPrincipal.lock === undefined
    const seer = isWhole ? person : await narrow(boundPrincipal, getBackground(c))
    const choices = filterToolkits(details, await listToolkitChoices(seer, catalog))
    return { request, signed: sessionResult.value, details, clientSummary: summarizeClient(details), toolset, choices }
  }

  function createAgent(
    { signed, details, clientSummary, toolset }: ConsentPrompt,
    chosen: ReadonlySet<string>,
    days: number,
  ): Agent {
    const { principal, session } = signed
    const at = now()
    return {
      id: newId(),
      authenticatedBy: session.authenticatedBy,
      owner: principal.id,
      holder: toHolder(principal),
      client: { id: details.client.id, name: clientSummary.name, host: clientSummary.host },
      toolkits: [...chosen],
      ...(toolset && { toolset: toolset.name }),
      scopes: AGENT_SCOPES,
      origin: session.origin,
      created_at: new Date(at).toISOString(),
      expires_at: new Date(at + days * 86_400_000).toISOString(),
    }
  }

  function note(c: RouteContext, action: AuditAction, { signed }: ConsentPrompt, about: JsonObject): void {
    writeAudit(c, writeAuditEntry, now(), {
      act: action,
      principal: signed.principal,
      outcome: 'success',
      status: 302,
      about,
    })
  }

  return {
    async showConsentPage(c: RouteContext): Promise<Response> {
      const prompt = await loadPrompt(c)
      return prompt instanceof Response ? prompt : page(consentPage(await toPageProps(prompt)))
    },

    async decide(c: RouteContext, form: URLSearchParams): Promise<Response> {
      const prompt = await loadPrompt(c, SIGNED_OUT)
      if (prompt instanceof Response) return prompt
      const decision = form.get('decision') ?? ''
      // Unknown decisions also refuse
      if (decision !== 'allow' && !isListAction(decision)) {
        note(c, 'agent.refuse', prompt, { name: prompt.clientSummary.name, host: prompt.clientSummary.host })
        return redirectResponse(prompt.details.refusal)
      }
      const days = EXPIRY_DAYS.find((choice) => String(choice) === form.get('days'))
      const view = readView(form)
      const { chosen, isCurrent } = await parseSelection(form, prompt.choices)
      const problem = isCurrent ? findProblem(decision, chosen, days) : CHANGED
      if (decision === 'all' || decision === 'none') {
        for (const { toolkit } of filterChoices(prompt.choices, view, chosen)) {
          if (decision === 'all') chosen.add(toolkit)
          else chosen.delete(toolkit)
        }
      }
      if (decision !== 'allow' || days === undefined || problem !== undefined)
        return page(consentPage({ ...(await toPageProps(prompt, chosen, view)), days, ...(problem && { problem }) }))
      const agent = createAgent(prompt, chosen, days)
      const connected = await server.authorizeAgent(prompt.request, agent)
      if (!connected.ok) return page(requestErrorPage(connected.message, connected.back))
      if (!(await confirmAgent(agent))) return page(SIGNED_OUT)
      const { id, client, toolkits, toolset, expires_at } = agent
      const about = { id, name: client.name, host: client.host, toolkits, ...(toolset && { toolset }), expires_at }
      note(c, 'agent.connect', prompt, about)
      return redirectResponse(connected.to)
    },
  }
}

function summarizeClient({ client, redirectUri }: AuthorizationDetails): ClientSummary {
  const url = new URL(redirectUri)
  const host = formatRedirectTarget(url)
  return {
    name: truncate(client.name ?? host, MAX_NAME),
    host: truncate(host, MAX_NAME),
    scheme: isPrivateUse(url) ? url.protocol : undefined,
    publishedBy: isDocumentUrl(client.id) ? new URL(client.id).host : undefined,
    isLocal: isLoopback(url.hostname),
  }
}

/** Keeps only toolkits that the resource's query names, if any: a link narrows the choices, but does not select. */
function filterToolkits(
  { resource = '' }: AuthorizationDetails,
  choices: readonly ToolkitChoice[],
): readonly ToolkitChoice[] {
  const lists = URL.parse(resource)?.searchParams.getAll('toolkits') ?? []
  const toolkitNames = new Set(lists.flatMap((each) => each.split(',')).map((each) => each.trim().toLowerCase()))
  const narrowedChoices = choices.filter(({ toolkit }) => toolkitNames.has(toolkit.toLowerCase()))
  return narrowedChoices.length > 0 ? narrowedChoices : choices
}

function findProblem(decision: string, chosen: ReadonlySet<string>, days: number | undefined): string | undefined {
  if (decision !== 'allow') return undefined
  if (days === undefined) return 'Choose when access expires'
  return chosen.size === 0 ? 'Select at least one toolkit, or refuse' : undefined
}

async function toPageProps(
  { signed, clientSummary, toolset, choices }: ConsentPrompt,
  chosen: ReadonlySet<string> = new Set(),
  view: ToolkitView = INITIAL_VIEW,
) {
  const { authenticatedBy } = signed.session
  const list = paginateChoices(choices, view, chosen)
  return {
    asking: clientSummary,
    toolset: toolset && { name: toolset.name, title: toolset.definition.title },
    person: authenticatedBy.kind === 'person' ? authenticatedBy.person.user : toHolder(signed.principal).id,
    choices,
    chosen,
    view,
    list,
    others: await encodeHiddenSelection(choices, chosen, list.pageChoices),
  }
}
