import { isObject, type Json } from '../../core/tool/json.ts'
import { check } from '../../core/tool/json-reader.ts'
import { type Checked, pointerStep, pointerSteps, type Problem } from '../../core/tool/problem.ts'
import type { Definition } from '../../core/tool/tool.ts'
import { undeclaredCredential } from '../shared/credential.ts'
import { headerNameProblem, isHeaderValue, isToken } from '../shared/header-rules.ts'
import { parseUrlTemplate, type UrlTemplate, variableNames } from '../shared/url-template.ts'
import { type HttpImplementation, httpImplementation } from './implementation.ts'
import { bodyHasFields, unplacedInputs } from './default-places.ts'
import { namesAreUnique } from './unique-names.ts'

type Rule = (implementation: HttpImplementation, inputs: ReadonlySet<string>) => Problem[]

/**
 * Checks an `http` implementation as it is published with `definition`: its shape first, then what its parts may say
 * of each other. Gives it with defaults filled in, or every problem, with pointers that start at the implementation.
 */
export function checkHttpImplementation(document: Json, definition: Definition): Checked<HttpImplementation> {
  const read = check(httpImplementation, document)
  if (!read.ok) return read
  const problems = brokenRules(read.value, definition)
  return problems.length > 0 ? { ok: false, problems } : read
}

/** What the parts of an implementation say of each other and of the definition that they must not. */
function brokenRules(implementation: HttpImplementation, definition: Definition): Problem[] {
  const properties = definition.input['properties']
  const inputs = new Set(isObject(properties) ? Object.keys(properties) : [])
  const template = parseUrlTemplate(implementation.url)
  const rules: Rule[] = [inputsExist, headersAreAllowed, bodyFits, namesAreUnique]
  return [
    ...('problem' in template
      ? [problem('/url', template.problem)]
      : templateIsFilled(implementation, inputs, template)),
    ...rules.flatMap((rule) => rule(implementation, inputs)),
    ...implementation.credentials.flatMap((each, index) =>
      undeclaredCredential(each, definition.requirements).map(({ path, message }) =>
        problem(`/credentials/${index}${path}`, message),
      ),
    ),
  ]
}

/** A caller must not choose where credentials go: only a credential may stand in the host. */
function templateIsFilled(
  { parameters, credentials }: HttpImplementation,
  inputs: ReadonlySet<string>,
  template: UrlTemplate,
): Problem[] {
  const secret = new Set(credentials.flatMap((each) => (each.in === 'path' ? [each.name] : [])))
  const placed = new Set(parameters.flatMap((each) => (each.in === 'path' ? [each.name] : [])))
  const hostNames = variableNames(template.authority)
  const otherNames = [...variableNames(template.path), ...variableNames(template.query ?? [])]
  const names = new Set([...hostNames, ...otherNames])
  return [
    ...hostNames
      .filter((name) => !secret.has(name))
      .map((name) => problem('/url', `Must have a credential in 'path' for the host's '{${name}}'`)),
    ...otherNames
      .filter((name) => !secret.has(name) && !placed.has(name) && !inputs.has(name))
      .map((name) => problem('/url', `Must have a 'path' parameter, a credential or an input for '{${name}}'`)),
    ...[...named('parameters', parameters), ...named('credentials', credentials)].flatMap((each) =>
      each.in === 'path' && !names.has(each.name)
        ? [problem(each.path, `Must be a variable of the URL, got '${each.name}'`)]
        : [],
    ),
  ]
}

/** What is written under a name, and where the implementation says that name. */
function named(field: string, list: readonly { readonly in: string; readonly name: string }[]) {
  return list.map(({ in: place, name }, index) => ({ in: place, name, path: `/${field}/${index}/name` }))
}

function inputsExist({ parameters, body }: HttpImplementation, inputs: ReadonlySet<string>): Problem[] {
  const unknown = (input: string, path: string) =>
    inputs.has(input) ? [] : [problem(path, `Must be an input of the tool, got '${input}'`)]
  return [
    ...parameters.flatMap((each, index) => unknown(each.input, `/parameters/${index}/input`)),
    ...(body?.input === undefined ? [] : unknown(body.input, '/body/input')),
  ]
}

function headersAreAllowed({ headers, parameters, credentials, body }: HttpImplementation): Problem[] {
  const open = [
    ...Object.keys(headers).map((name) => ({ in: 'header', name, path: `/headers${pointerStep(name)}` })),
    ...named('parameters', parameters),
  ]
  const problems: Problem[] = []
  for (const { in: place, name, path } of [...open, ...named('credentials', credentials)]) {
    const lower = name.toLowerCase()
    if (place === 'cookie' && !isToken(name)) problems.push(problem(path, `Must be a cookie's name, got '${name}'`))
    if (place !== 'header') continue
    const wrong = headerNameProblem(name)
    if (wrong !== undefined) problems.push(problem(path, wrong))
    else if (lower === 'cookie') problems.push(problem(path, `Must be left out: a cookie has the place 'cookie'`))
    else if (lower === 'content-type' && body?.type === 'multipart') {
      problems.push(problem(path, 'Must be left out: a multipart body writes its own, with its boundary'))
    }
  }
  for (const { in: place, name, path } of open) {
    if (place !== 'header' || name.toLowerCase() !== 'authorization') continue
    problems.push(problem(path, 'Must be left to a credential'))
  }
  const texts = Object.entries(headers).map(([name, value]) => ({ path: `/headers${pointerStep(name)}`, value }))
  for (const { path, value } of [...texts, { path: '/body/content_type', value: body?.content_type ?? '' }]) {
    if (!isHeaderValue(value)) problems.push(problem(path, 'Must be Latin-1 without control characters'))
  }
  return problems
}

function bodyFits(implementation: HttpImplementation, inputs: ReadonlySet<string>): Problem[] {
  const { method, parameters, body } = implementation
  const problems: Problem[] = []
  const type = body?.type ?? 'json'
  if ((method === 'GET' || method === 'HEAD') && body !== undefined && type !== 'none') {
    problems.push(problem('/body', `Must be left out: ${method} has no body`))
  }
  if (type === 'raw' && body?.input === undefined) problems.push(problem('/body/input', 'Is required for a raw body'))
  if (type === 'none' && body?.input !== undefined)
    problems.push(problem('/body/input', 'Must be left out: there is no body'))
  if (type === 'multipart' && body?.content_type !== undefined) {
    problems.push(problem('/body/content_type', 'Must be left out: a multipart body writes its own, with its boundary'))
  }
  const hasFields = bodyHasFields(implementation)
  for (const [index, each] of parameters.entries()) {
    if (each.in !== 'body') continue
    const path = `/parameters/${index}`
    if (!hasFields) problems.push(problem(`${path}/in`, `Must be another place: the body has none for '${each.input}'`))
    if (type === 'json' && each.name.startsWith('/') && pointerSteps(each.name) === undefined) {
      problems.push(problem(`${path}/name`, `Must be a JSON Pointer, got '${each.name}'`))
    }
  }
  // A raw body without an input has been reported; it would report every other input as well.
  if (hasFields || type === 'raw') return problems
  const placeOf = unplacedInputs(implementation)
  for (const input of inputs) {
    if (placeOf(input) !== 'body') continue
    problems.push(problem('/parameters', `Must have one for the input '${input}', for which the body has no place`))
  }
  return problems
}

function problem(path: string, message: string): Problem {
  return { path, message }
}
