import type { Invocation } from '../../core/call/invocation.ts'
import type { RunContext } from '../../core/call/runner.ts'
import { placeCredentials, type PlacedCredentials } from '../shared/place-credentials.ts'
import { requestHeaders, requestBuildFailure } from '../shared/retrying-call.ts'
import { expandParts, hasDotSegment, parseUrlTemplate, type UrlTemplate } from '../shared/url-template.ts'
import { encodeBody } from './body.ts'
import type { HttpImplementation } from './implementation.ts'
import { createInputPlacer, ownValue, type PlacedInputs } from './place-inputs.ts'

export type BuiltRequest = Extract<ReturnType<ReturnType<typeof prepareRequest>>, { readonly ok: true }>['request']

const ACCEPT = {
  json: 'application/json',
  text: 'text/*, */*;q=0.5',
  binary: '*/*',
  auto: 'application/json, */*;q=0.5',
  none: '*/*',
} as const

/** Throws for an unchecked implementation. A failure lists everything that is missing or does not fit, without values. */
export function prepareRequest(implementation: HttpImplementation) {
  const template = parseUrlTemplate(implementation.url)
  if ('problem' in template) throw new TypeError(`Cannot read the URL template: ${template.problem}`)
  const { method, credentials, body: declared, response } = implementation
  const place = createInputPlacer(implementation, template)

  return (invocation: Invocation, context: Pick<RunContext, 'traceparent'>) => {
    const { input, files } = invocation
    const inputs = place(input)
    const secret = placeCredentials(credentials, template, invocation)
    const whole = declared?.input === undefined ? undefined : ownValue(input, declared.input)
    const body = encodeBody(declared, inputs.fields, whole, files)
    const { url, displayTarget, problem } = expandUrl(template, inputs, secret)
    const problems = [...inputs.problems, ...secret.problems]
    if (body && 'problem' in body) return requestBuildFailure([...problems, body.problem])
    if (problem !== undefined) problems.push(problem)
    if (problems.length > 0) return requestBuildFailure(problems)

    const headers = requestHeaders(context)
    headers.set('accept', ACCEPT[response.type ?? 'auto'])
    if (body?.contentType !== undefined) headers.set('content-type', body.contentType)
    for (const [name, value] of Object.entries(implementation.headers)) headers.set(name, value)
    for (const [name, value] of [...inputs.headers, ...secret.headers]) headers.set(name, value)
    const cookies = [...inputs.cookies, ...secret.cookies]
    if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
    const credentialHeaders = [...secret.headers.keys()]
    const { redact, carriesCredential } = secret
    return {
      ok: true as const,
      request: {
        method,
        url,
        headers,
        body: body?.content,
        credentialHeaders,
        displayTarget,
        redact,
        carriesCredential,
      },
    }
  }
}

function expandUrl(template: UrlTemplate, inputs: PlacedInputs, secret: PlacedCredentials) {
  const value = (name: string) => inputs.path.get(name) ?? secret.path.get(name) ?? secret.host.get(name) ?? ''
  // No input is used in the host, whatever its name.
  const authority = expandParts(template.authority, (name) => secret.host.get(name) ?? '')
  const getPathInput = (name: string) => inputs.path.get(name) ?? `{${name}}`
  const path = expandParts(template.path, value)
  const query = [template.query ? expandParts(template.query, value) : '', ...inputs.query, ...secret.query]
  const search = query.filter((piece) => piece !== '').join('&')
  const url = `${template.scheme ?? secret.scheme}://${authority}${path}${search && `?${search}`}`
  const host = expandParts(template.authority, (name) => `{${name}}`)
  const origin = template.scheme === undefined ? host : `${template.scheme}://${host}`
  const displayTarget = { host, url: `${origin}${expandParts(template.path, getPathInput)}` }
  // Percent-encoding does not help: URL parsers read "%2e%2e" as "..".
  const problem = hasDotSegment(path)
    ? 'an input would put a "." or ".." segment into the path'
    : URL.canParse(url)
      ? undefined
      : 'the URL is not valid'
  return { url, displayTarget, problem }
}
