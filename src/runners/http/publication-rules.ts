import { isObject, type Json } from '../../core/tool/json.ts'
import { parseValue, transform, type ReadContext, addProblem } from '../../core/tool/json-reader.ts'
import { type ParseResult, encodePointerStep, parsePointer } from '../../core/tool/problem.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { placeKey, rejectUndeclared } from '../shared/credential.ts'
import { headerNameProblem, isHeaderValue, isToken } from '../shared/header-rules.ts'
import { parseUrlTemplate, variableNames } from '../shared/url-template.ts'
import { bodyFieldSteps, bodyHasFields, type HttpImplementation, httpImplementation } from './implementation.ts'
import { TOOL_VARIABLES, unplacedInputs } from './implementation.ts'

export function checkHttpImplementation(
  document: Json,
  { input: { properties }, requirements }: Definition,
): ParseResult<HttpImplementation> {
  const inputs = new Set(isObject(properties) ? Object.keys(properties) : [])
  const reader = transform(httpImplementation, (implementation, report) => {
    templateIsFilled(implementation, inputs, report)
    inputsExist(implementation, inputs, report)
    headersAreAllowed(implementation, report)
    bodyFits(implementation, inputs, report)
    namesAreUnique(implementation, inputs, report)
    for (const [index, credential] of implementation.credentials.entries())
      rejectUndeclared(credential, requirements, report, `/credentials/${index}`)
    return implementation
  })
  return parseValue(reader, document)
}

/** Only a credential may fill a variable of the host, because callers must not choose where credentials are sent. */
function templateIsFilled(implementation: HttpImplementation, inputs: ReadonlySet<string>, report: ReadContext): void {
  const { url, parameters, credentials } = implementation
  const template = parseUrlTemplate(url)
  if ('problem' in template) return void addProblem(report, template.problem, '/url')
  const secret = new Set(credentials.flatMap((each) => (each.in === 'path' ? [each.name] : [])))
  const pathNames = new Set(parameters.flatMap((each) => (each.in === 'path' ? [each.name] : [])))
  const hostNames = variableNames(template.authority)
  const otherNames = [...variableNames(template.path), ...variableNames(template.query ?? [])]
  for (const name of hostNames) {
    if (!secret.has(name)) addProblem(report, `Must have a credential in 'path' for the host's '{${name}}'`, '/url')
  }
  for (const name of otherNames) {
    if (secret.has(name) || pathNames.has(name) || inputs.has(name) || TOOL_VARIABLES.includes(name)) continue
    addProblem(report, `Must have a 'path' parameter, a credential or an input for '{${name}}'`, '/url')
  }
  for (const { in: place, name, path } of listWrittenHeaders(implementation)) {
    if (place !== 'path' || hostNames.includes(name) || otherNames.includes(name)) continue
    addProblem(report, `Must be a variable of the URL, got '${name}'`, path)
  }
}

function listWrittenHeaders({ headers, parameters, credentials }: HttpImplementation) {
  const listNames = (field: string, list: readonly { readonly in: string; readonly name: string }[]) =>
    list.map(({ in: place, name }, index) => ({ field, in: place, name, path: `/${field}/${index}/name` }))
  const fixed = Object.keys(headers).map((name) => {
    return { field: 'headers', in: 'header', name, path: `/headers${encodePointerStep(name)}` }
  })
  return [...fixed, ...listNames('parameters', parameters), ...listNames('credentials', credentials)]
}

function inputsExist({ parameters, body }: HttpImplementation, inputs: ReadonlySet<string>, report: ReadContext): void {
  const inputPaths = parameters.map(({ input }, index) => ({ input, path: `/parameters/${index}/input` }))
  if (body?.input !== undefined) inputPaths.push({ input: body.input, path: '/body/input' })
  for (const { input, path } of inputPaths) {
    if (!inputs.has(input)) addProblem(report, `Must be an input of the tool, got '${input}'`, path)
  }
}

function headersAreAllowed(implementation: HttpImplementation, report: ReadContext): void {
  const { headers, body } = implementation
  for (const { field, in: place, name, path } of listWrittenHeaders(implementation)) {
    const lower = name.toLowerCase()
    if (place === 'cookie' && !isToken(name)) addProblem(report, `Must be a cookie's name, got '${name}'`, path)
    if (place !== 'header') continue
    const nameProblem = headerNameProblem(name)
    if (nameProblem !== undefined) addProblem(report, nameProblem, path)
    else if (lower === 'cookie') addProblem(report, "Must be left out: a cookie has the place 'cookie'", path)
    else if (lower === 'content-type' && body?.type === 'multipart') addProblem(report, MULTIPART_TYPE, path)
    else if (lower === 'authorization' && field !== 'credentials')
      addProblem(report, 'Must be left to a credential', path)
  }
  const texts = Object.entries(headers).map(([name, value]) => ({ path: `/headers${encodePointerStep(name)}`, value }))
  for (const { path, value } of [...texts, { path: '/body/content_type', value: body?.content_type ?? '' }]) {
    if (!isHeaderValue(value)) addProblem(report, 'Must be Latin-1 without control characters', path)
  }
}

const MULTIPART_TYPE = 'Must be left out: a multipart body writes its own, with its boundary'

function bodyFits(implementation: HttpImplementation, inputs: ReadonlySet<string>, report: ReadContext): void {
  const { method, parameters, body } = implementation
  const type = body?.type ?? 'json'
  if ((method === 'GET' || method === 'HEAD') && body !== undefined && type !== 'none')
    addProblem(report, `Must be left out: ${method} has no body`, '/body')
  if (type === 'raw' && body?.input === undefined) addProblem(report, 'Is required for a raw body', '/body/input')
  if (type === 'none' && body?.input !== undefined)
    addProblem(report, 'Must be left out: there is no body', '/body/input')
  if (type === 'multipart' && body?.content_type !== undefined) addProblem(report, MULTIPART_TYPE, '/body/content_type')
  const hasFields = bodyHasFields(implementation)
  for (const [index, { in: place, input, name }] of parameters.entries()) {
    if (place !== 'body') continue
    const path = `/parameters/${index}`
    if (!hasFields) addProblem(report, `Must be another place: the body has none for '${input}'`, `${path}/in`)
    if (type === 'json' && name.startsWith('/') && parsePointer(name) === undefined)
      addProblem(report, `Must be a JSON Pointer, got '${name}'`, `${path}/name`)
  }
  if (hasFields || type === 'raw') return
  const findPlace = unplacedInputs(implementation)
  for (const input of inputs) {
    if (findPlace(input) !== 'body') continue
    addProblem(report, `Must have one for the input '${input}', for which the body has no place`, '/parameters')
  }
}

/** Rejects repeated names, which servers read differently and by which a caller could shadow a credential. */
function namesAreUnique(implementation: HttpImplementation, inputs: ReadonlySet<string>, report: ReadContext): void {
  const { headers, parameters, credentials } = implementation
  const writers = new Map<string, string>()
  const write = (place: string, name: string, path: string) => {
    const key = placeKey({ in: place, name })
    const first = writers.get(key)
    if (first === undefined) writers.set(key, path)
    else addProblem(report, `Must be written once, and '${first}' writes '${name}' in '${place}'`, path)
  }
  for (const [index, { in: place, name }] of credentials.entries()) write(place, name, `/credentials/${index}/name`)
  const basic = credentials.findIndex(({ in: place }) => place === 'basic')
  if (basic >= 0) write('header', 'authorization', `/credentials/${basic}`)
  for (const name of Object.keys(headers)) {
    if (!writers.has(placeKey({ in: 'header', name }))) continue
    addProblem(report, `Must be left to the credential that writes '${name}'`, `/headers${encodePointerStep(name)}`)
  }
  const fields: (readonly string[])[] = []
  const writeField = (steps: readonly string[], path: string) => {
    // A field cannot be a value and also contain other fields
    const isTaken = fields.some((other) => steps.slice(0, other.length).every((step, at) => step === other[at]))
    if (isTaken) addProblem(report, `Must be written once, got '${steps.join('/')}' again`, path)
    fields.push(steps)
  }
  for (const [index, { in: place, name }] of parameters.entries()) {
    const path = `/parameters/${index}/name`
    if (place === 'body') writeField(bodyFieldSteps(implementation, name), path)
    else write(place, name, path)
  }
  const findPlace = unplacedInputs(implementation)
  for (const input of inputs) {
    const place = findPlace(input)
    if (place === 'body') writeField([input], '/parameters')
    if (place === 'query') write('query', input, '/parameters')
  }
}
