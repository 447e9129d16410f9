import { ANY, COMPONENTS, listOf, OBJECT, objectOf, ref, type Schema, TEXT, TEXTS } from './schemas.ts'

/** An answer: what it is, and of which media type where it is not JSON. */
export interface Answer {
  readonly says: string
  /** Of a JSON answer. */
  readonly schema?: Schema
  /** Whether it comes as server-sent events to who asks for them, where there is something to say before it. */
  readonly streams?: true
  readonly type?: string
  /** What the header `Switchboard-Note` of it says, where there is one. */
  readonly note?: string
}

/** What no declaration of a route says of it. */
export interface Described {
  readonly summary: string
  /** By status; of what a route gives beside failures. */
  readonly answers: Readonly<Record<number, Answer>>
  /** What is sent, where that is no JSON. */
  readonly sends?: string
  /** What a failure looks like, where that is not this product's own shape. */
  readonly failures?: keyof typeof COMPONENTS | 'page'
}

const json = (says: string, schema: Schema): Answer => ({ says, schema })
const component = (says: string, name: keyof typeof COMPONENTS): Answer => json(says, ref(name))
const itemsOf = (name: keyof typeof COMPONENTS) => objectOf({ items: listOf(ref(name)) })
const plain = (says: string, type: string): Answer => ({ says, type })
const DONE: Answer = { says: 'Done' }
const UNCHANGED: Answer = { says: 'What the request holds is as it is' }
const SEE: Answer = { says: 'Where the browser goes on' }
const PAGE = plain('A page', 'text/html')
const page = (summary: string): Described => ({ summary, answers: { 200: PAGE, 302: SEE }, failures: 'page' })
const metadata = (summary: string): Described => ({
  summary,
  answers: { 200: json('Metadata', OBJECT) },
  failures: 'OAuthError',
})
const UNCALLABLE = 'Which of the new tools cannot be called, having no implementation'
const published = (summary: string, name: keyof typeof COMPONENTS): Described => ({
  summary,
  answers: {
    200: { ...component('Published before as it is; or the result of each of a batch', name), note: UNCALLABLE },
    201: { ...component('Published', name), note: UNCALLABLE },
  },
})
const FORM = 'application/x-www-form-urlencoded'
const tools = objectOf({ tools: listOf(OBJECT) })
const listing = (summary: string, schema: Schema, failures?: Described['failures']): Described => ({
  summary,
  answers: {
    200: { ...json('The tools that the caller may see', schema), note: 'Why a filtered list is empty' },
    304: UNCHANGED,
  },
  ...(failures ? { failures } : {}),
})
const mcp = (summary: string): Described => ({
  summary,
  answers: {
    200: { ...json('The answer of JSON-RPC, or a stream of messages that it ends', OBJECT), streams: true },
    202: { says: 'A notification was taken' },
  },
  failures: 'JsonRpcError',
})
const CALLED: Answer = {
  ...component(
    'What the tool came to; or, where the request names text/event-stream in Accept, a stream of the events `progress`, which the event `result` ends',
    'CallResult',
  ),
  streams: true,
}
const servers = (summary: string): Described => ({
  summary,
  answers: { 200: json('Servers as the registry of MCP has them', OBJECT) },
  failures: 'RegistryError',
})
const VERSION_SENT = 'application/wasm'
const LINES = 'application/jsonl'

/** Every route of the app, by method and path, as they are declared. */
export const OPERATIONS: Readonly<Record<string, Described>> = {
  'GET /health': {
    summary: 'Whether the deployment is well',
    answers: { 200: component('It is', 'Health'), 503: component('Storage does not answer', 'Health') },
  },
  'GET /oxp/health': {
    summary: 'Whether the deployment is well (OXP)',
    answers: { 200: component('It is', 'Health'), 503: component('Storage does not answer', 'Health') },
  },
  'GET /tools': listing('List and search tools, in any format', ref('Tools')),
  'GET /oxp/tools': listing('List and search tools as the published OXP has them', ref('Tools')),
  'POST /tools/call': {
    summary: 'Call a tool (OXP)',
    answers: { 200: CALLED },
  },
  'POST /oxp/tools/call': {
    summary: 'Call a tool as the published OXP has it',
    answers: { 200: CALLED },
  },
  'POST /tools': {
    summary: 'Publish a definition of any dialect, or up to 1,000',
    answers: {
      200: json('Published before as it is; or the result of each of a batch', {
        anyOf: [ref('Published'), ref('Results')],
      }),
      201: component('Published', 'Published'),
    },
  },
  'GET /tools/:id': {
    summary: 'Read a definition',
    answers: { 200: json('In the format that was asked for', ANY), 304: UNCHANGED },
  },
  'GET /tools/:id/readiness': {
    summary: 'Tell whether a call could run now',
    answers: { 200: component('What is in the way, if anything', 'Readiness') },
  },
  'GET /tools/:id/versions': {
    summary: 'List the versions of a tool, and what each changed',
    answers: { 200: json('The versions, the highest first', objectOf({ items: listOf(OBJECT) })) },
  },
  'GET /tools/:id/implementation': {
    summary: 'Read how a version is implemented',
    answers: { 200: json('As it was published', OBJECT), 304: UNCHANGED },
  },
  'GET /tools/:id/implementation/module': {
    summary: 'Read the module of a code tool or a plugin',
    answers: { 200: plain('The module', '*/*'), 304: UNCHANGED },
  },
  'GET /export': {
    summary: 'Back the registry up, or a toolkit of it',
    answers: { 200: plain('JSON lines', LINES) },
  },
  'POST /import': {
    summary: 'Restore what was backed up',
    answers: { 200: plain('What became of it, as JSON lines', LINES) },
    sends: LINES,
  },
  'PATCH /tools/:id': {
    summary: 'Change the status of a version',
    answers: { 200: component('As it is now', 'Version') },
  },
  'POST /convert': {
    summary: 'Write a definition in another format, storing nothing',
    answers: {
      200: json('The document, and what could not be said', objectOf({ document: ANY, losses: listOf(OBJECT) })),
    },
  },
  'GET /toolkits': {
    summary: 'List the toolkits of the tools that the caller may see',
    answers: { 200: json('The toolkits', objectOf({ items: listOf(OBJECT) })) },
  },
  'GET /toolkits/:toolkit': {
    summary: 'Read whose a toolkit is',
    answers: { 200: component('The toolkit', 'Toolkit') },
  },
  'PUT /toolkits/:toolkit': {
    summary: 'Give a toolkit to somebody',
    answers: { 200: component('The toolkit', 'Toolkit') },
  },
  'PATCH /toolkits/:toolkit': {
    summary: 'Change the status, owner or tags of a toolkit',
    answers: { 200: component('As it is now', 'Toolkit') },
  },
  'DELETE /toolkits/:toolkit': {
    summary: 'Delete a toolkit that nobody may call any more',
    answers: { 200: component('Until when it is kept', 'Toolkit') },
  },
  'PUT /toolkits/:toolkit/plugin': {
    ...published('Publish a wasm plugin as a toolkit', 'Published'),
    sends: VERSION_SENT,
  },
  'POST /toolkits/import': {
    summary: 'Make a toolkit of an OpenAPI description, or of an MCP or OXP server',
    answers: {
      200: json(
        'Imported before as it is; or what a dry run would make',
        objectOf({ 'ids?': TEXTS, 'tools?': listOf(OBJECT), 'skipped': listOf(OBJECT) }),
      ),
      201: json('Imported', objectOf({ ids: TEXTS, skipped: listOf(OBJECT) })),
    },
  },
  'POST /keys': { summary: 'Make an API key', answers: { 201: component('The key, shown once', 'NewKey') } },
  'GET /keys': { summary: 'List API keys', answers: { 200: json('All keys', itemsOf('Key')) } },
  'GET /keys/:id': { summary: 'Read an API key', answers: { 200: component('Without its text', 'Key') } },
  'PATCH /keys/:id': { summary: 'Change an API key', answers: { 200: component('As it is now', 'Key') } },
  'POST /keys/:id/rotate': {
    summary: 'Give an API key another text',
    answers: { 200: component('The text, shown once', 'NewKey') },
  },
  'DELETE /keys/:id': { summary: 'Remove an API key', answers: { 204: DONE } },
  'GET /providers': { summary: 'List OAuth providers', answers: { 200: json('All providers', itemsOf('Provider')) } },
  'GET /providers/:id': { summary: 'Read an OAuth provider', answers: { 200: component('The provider', 'Provider') } },
  'PUT /providers/:id': {
    summary: 'Put an OAuth provider',
    answers: { 200: component('Replaced', 'Provider'), 201: component('New', 'Provider') },
  },
  'DELETE /providers/:id': { summary: 'Remove an OAuth provider', answers: { 204: DONE } },
  'GET /policies': { summary: 'List policies', answers: { 200: json('All policies', itemsOf('Policy')) } },
  'GET /policies/:pattern': { summary: 'Read a policy', answers: { 200: component('The policy', 'Policy') } },
  'PUT /policies/:pattern': {
    summary: 'Say what holds for the tools that a pattern covers',
    answers: { 200: component('Replaced', 'Policy'), 201: component('New', 'Policy') },
  },
  'DELETE /policies/:pattern': { summary: 'Remove a policy', answers: { 204: DONE } },
  'POST /clients': {
    summary: 'Make an OAuth client for a host of agents',
    answers: { 201: component('The client, its secret shown once', 'Client') },
  },
  'GET /clients': {
    summary: 'List the OAuth clients that were made',
    answers: { 200: json('All clients', itemsOf('Client')) },
  },
  'DELETE /clients/:id': { summary: 'Remove an OAuth client, and its agents', answers: { 204: DONE } },
  'GET /sessions': { summary: 'List where one is signed in', answers: { 200: json('Sessions', itemsOf('Session')) } },
  'DELETE /sessions/:id': { summary: 'End a session', answers: { 204: DONE } },
  'GET /users/:user/agents': {
    summary: 'List the agents that act for a user',
    answers: { 200: json('Agents', itemsOf('Agent')) },
  },
  'DELETE /users/:user/agents': { summary: "End all of a user's agents", answers: { 204: DONE } },
  'DELETE /users/:user/agents/:id': { summary: 'End an agent', answers: { 204: DONE } },
  'GET /users/:user/grants': {
    summary: 'List what a user has granted',
    answers: { 200: json('Grants', itemsOf('Grant')) },
  },
  'DELETE /users/:user/grants': { summary: 'Revoke all that a user has granted', answers: { 204: DONE } },
  'GET /users/:user/grants/:provider': {
    summary: 'Read what a user has granted at a provider',
    answers: { 200: component('The grant', 'Grant') },
  },
  'DELETE /users/:user/grants/:provider': {
    summary: 'Revoke what a user has granted at a provider',
    answers: { 204: DONE },
  },
  'GET /calls': { summary: 'List who called what', answers: { 200: component('Newest first', 'Page') } },
  'GET /audit': {
    summary: 'List what was administered, and who was refused',
    answers: { 200: component('Newest first', 'Page') },
  },
  'GET /usage': {
    summary: 'Count calls, and tell how long they took',
    answers: { 200: component('By what was asked for', 'Usage') },
  },
  'GET /metrics': {
    summary: "Today's figures as OpenMetrics",
    answers: { 200: plain('OpenMetrics 1.0', 'application/openmetrics-text') },
  },
  'GET /authorizations/:id': {
    summary: 'Follow what a person was asked for',
    answers: { 200: component('How far it is', 'Authorization') },
  },
  'POST /authorizations/:id/confirm': {
    summary: 'Say who a person is, as the verifier of users',
    answers: { 200: json('Where the browser goes on', objectOf({ next: TEXT })) },
  },
  'GET /authorizations/:id/start': page('Ask a person for consent or approval'),
  'POST /authorizations/:id/start': { ...page('Take what a person decided'), sends: FORM },
  'GET /authorizations/:id/resume': page('Go on after the verifier of users'),
  'GET /oauth/callback': page('Come back from an OAuth provider'),
  'POST /artifacts': {
    summary: 'Send a file for calls to name',
    sends: '*/*',
    answers: { 201: component('Its handle', 'Upload') },
  },
  'GET /artifacts/:id': {
    summary: 'Read what a call gave, or a file that was sent',
    answers: {
      200: plain('The whole', '*/*'),
      206: plain('A part', '*/*'),
      304: UNCHANGED,
      416: { says: 'No such part' },
    },
  },
  'DELETE /artifacts/:id': { summary: 'Remove a file that was sent', answers: { 204: DONE } },
  'POST /mcp': mcp('The Model Context Protocol, for who has a key'),
  'POST /connect/mcp': mcp('The Model Context Protocol, for who signs in by OAuth'),
  'GET /machine-context/tools': listing('List tools as documents of machine-context', tools, 'MachineContextError'),
  'POST /machine-context/tools': listing('List tools as documents of machine-context', tools, 'MachineContextError'),
  'POST /machine-context/execute': {
    summary: 'Call a tool (machine-context)',
    answers: { 200: json('A response message', OBJECT) },
    failures: 'MachineContextError',
  },
  'GET /worker/health': {
    summary: 'Whether the worker is well (Open Tool Calling)',
    answers: { 200: component('It is', 'Health') },
  },
  'GET /worker/tools': listing('List tools (Open Tool Calling)', listOf(OBJECT), 'WorkerError'),
  'POST /worker/tools/invoke': {
    summary: 'Call a tool (Open Tool Calling)',
    answers: { 200: json('The response', OBJECT) },
    failures: 'WorkerError',
  },
  'GET /plugin/describe': listing('Describe the registry as a plugin', tools, 'CallToolResult'),
  'POST /plugin/describe': listing('Describe the registry as a plugin', tools, 'CallToolResult'),
  'POST /plugin/call': {
    summary: 'Call a tool (plugin)',
    answers: { 200: component('What the tool came to', 'CallToolResult') },
    failures: 'CallToolResult',
  },
  'GET /': { summary: 'The console, for browsers; others are led to the guides', answers: { 200: PAGE, 302: SEE } },
  'GET /console': page('Lead to the console'),
  'GET /console/tools/:id': page('A tool, in the console'),
  'POST /console/tools/:id': { ...page('Call a tool from the console'), sends: FORM },
  'GET /console/calls': page('The calls of late, in the console'),
  'GET /console/agents': page('The agents that a person let act, in the console'),
  'POST /console/agents': { ...page('End a connected agent from the console'), sends: FORM },
  'GET /console/accounts': page('The accounts that a person lets tools use, in the console'),
  'POST /console/accounts': { ...page('Take back a grant from the console'), sends: FORM },
  'GET /console/sign-ins': page('Where a person is signed in, in the console'),
  'POST /console/sign-ins': { ...page('End a sign-in from the console'), sends: FORM },
  'GET /console/import': page('Import tools, in the console'),
  'POST /console/import': { ...page('Show what an import would make, or import it'), sends: FORM },
  'GET /console/versions': page('The versions by their status, in the console'),
  'POST /console/versions': { ...page('Change a version’s status from the console'), sends: FORM },
  'GET /console/keys': page('The API keys, in the console'),
  'POST /console/keys': { ...page('Make, rotate or revoke a key from the console'), sends: FORM },
  'GET /console/providers': page('The OAuth providers, in the console'),
  'POST /console/providers': { ...page('Connect a provider from the console, or take one away'), sends: FORM },
  'GET /console/policies': page('The policies, in the console'),
  'POST /console/policies': { ...page('Put a policy from the console, or take one away'), sends: FORM },
  'GET /console/audit': page('What was administered, in the console'),
  'GET /docs': { summary: 'The guides', answers: { 200: PAGE } },
  'GET /docs/agents.json': {
    summary: 'How each agent host is told of this deployment',
    answers: { 200: json('Configurations', objectOf({ hosts: listOf(objectOf({ id: TEXT, title: TEXT })) })) },
  },
  'GET /docs/reference': { summary: 'This document as a page', answers: { 200: PAGE } },
  'GET /docs/:guide': {
    summary: 'A guide, as a page or, with .md, as Markdown',
    answers: { 200: plain('The guide', 'text/*') },
    failures: 'page',
  },
  'GET /llms.txt': {
    summary: 'What the deployment says of itself to models',
    answers: { 200: plain('Markdown', 'text/plain') },
  },
  'GET /openapi.json': {
    summary: 'This document',
    answers: { 200: json('OpenAPI 3.1', objectOf({ openapi: TEXT, info: OBJECT, paths: OBJECT })) },
  },
  'GET /v0.1/servers': servers('List this deployment as an MCP server'),
  'GET /v0.1/servers/:name/versions': servers('List the versions of this deployment'),
  'GET /v0.1/servers/:name/versions/:version': servers('Read this deployment as an MCP server'),
  'GET /mcp/server-card': {
    summary: 'The card of the MCP server',
    answers: { 200: plain('The card', 'application/*') },
  },
  'GET /.well-known/ai-catalog.json': {
    summary: 'Where the card is',
    answers: { 200: plain('The catalog', 'application/*') },
  },
  'GET /sign-in': page('Sign in'),
  'GET /sign-in/callback': page('Come back from the OpenID provider'),
  'POST /sign-in/key': { ...page('Sign in with an API key'), sends: FORM },
  'POST /sign-out': { ...page('Sign out'), sends: FORM },
  'GET /.well-known/oauth-protected-resource/connect/mcp': metadata('Metadata of the protected resource (RFC 9728)'),
  'GET /.well-known/oauth-authorization-server/connect': metadata('Metadata of the authorization server (RFC 8414)'),
  'GET /.well-known/openid-configuration/connect': metadata('The same, where OpenID clients look'),
  'GET /connect/.well-known/openid-configuration': metadata('The same, where OpenID clients look'),
  'GET /connect/authorize': page('Ask a person which tools an agent may use (OAuth 2.1)'),
  'POST /connect/authorize': { ...page('Take what a person decided of an agent'), sends: FORM },
  'POST /connect/token': {
    summary: 'The token endpoint (OAuth 2.1), which also revokes',
    sends: FORM,
    answers: { 200: json('A token, or nothing more', ANY) },
    failures: 'OAuthError',
  },
  'POST /connect/register': {
    summary: 'Register a client (RFC 7591)',
    answers: { 201: json('The client', objectOf({ client_id: TEXT })) },
    failures: 'OAuthError',
  },
}
