import type { Json, JsonObject } from '../../core/tool/json.ts'
import { isHeaderValue } from '../shared/header-rules.ts'
import { encodeStrictly, type UrlTemplate, variableNames } from '../shared/url-template.ts'
import { type BodyField, FORM_EXPLODED } from './body.ts'
import { bodyFieldSteps, bodyHasFields, type HttpImplementation, type HttpParameter } from './implementation.ts'
import { unplacedInputs } from './implementation.ts'
import { serializeHeader, serializePath, serializeQuery } from './serialization.ts'

export type PlacedInputs = ReturnType<ReturnType<typeof createInputPlacer>>

export function createInputPlacer(implementation: HttpImplementation, template: UrlTemplate) {
  const { parameters, body } = implementation
  const findPlace = unplacedInputs(implementation)
  const secretQuery = credentialNames(implementation, 'query')
  const secretCookies = credentialNames(implementation, 'cookie')
  const hasFields = bodyHasFields(implementation)
  const needed = pathInputs(implementation, template)

  return (input: JsonObject) => {
    /** Percent-encoded, except for the headers. */
    const placedInputs = {
      path: new Map<string, string>(),
      query: new Array<string>(),
      cookies: new Array<string>(),
      headers: new Map<string, string>(),
      fields: new Array<BodyField>(),
      problems: new Array<string>(),
    }
    for (const parameter of parameters) {
      const inputValue = ownValue(input, parameter.input)
      const placedValue =
        inputValue === undefined || inputValue === null ? (parameter.default ?? inputValue) : inputValue
      const isJson = parameter.content_type === 'application/json' && body?.type !== 'multipart'
      const isText = isJson && placedValue !== undefined && placedValue !== null
      const value = isText ? JSON.stringify(placedValue) : placedValue
      if (parameter.in === 'body') addField(parameter, bodyFieldSteps(implementation, parameter.name), value)
      else add(parameter, value)
    }
    for (const [name, value] of Object.entries(input)) {
      const place = findPlace(name)
      if (place === undefined || value === undefined) continue
      if (place === 'body') addField({ ...FORM_EXPLODED, input: name, name }, [name], value)
      else if (place === 'query') add({ ...FORM_EXPLODED, input: name, in: place, name }, value)
      else add({ style: 'simple', explode: false, allow_reserved: false, input: name, in: place, name }, value)
    }
    for (const [name, inputName] of needed) {
      // An empty segment would address another resource: `DELETE /users/` instead of one user.
      if (!placedInputs.path.get(name))
        placedInputs.problems.push(`"${inputName}" is empty, and the URL's path needs it`)
    }
    refuseShadowing(placedInputs.query, secretQuery)
    refuseShadowing(placedInputs.cookies, secretCookies)
    return placedInputs

    function add(parameter: Omit<HttpParameter, 'default'>, value: Json | undefined): void {
      const { input: inputName, name } = parameter
      if (parameter.in === 'query') placedInputs.query.push(...serializeQuery(name, value, parameter))
      if (parameter.in === 'cookie') placedInputs.cookies.push(...serializeQuery(name, value, parameter))
      if (parameter.in === 'path') placedInputs.path.set(name, serializePath(name, value, parameter) ?? '')
      if (parameter.in === 'header') {
        const text = serializeHeader(value, parameter.explode)
        if (text === undefined) return
        if (isHeaderValue(text)) placedInputs.headers.set(name, text)
        else
          placedInputs.problems.push(`"${inputName}" cannot stand in the header "${name}": wanted Latin-1 in one line`)
      }
    }

    function addField(field: Omit<HttpParameter, 'default' | 'in'>, steps: readonly string[], value: Json | undefined) {
      if (value === undefined) return
      if (hasFields) placedInputs.fields.push({ name: field.name, steps, value, serialization: field })
      else placedInputs.problems.push(`the request has no place for "${field.input}"`)
    }

    /** Callers choose the names in exploded objects and of inputs without a parameter. None may be a credential's name. */
    function refuseShadowing(pieces: readonly string[], names: ReadonlySet<string>): void {
      for (const piece of pieces) {
        const name = piece.slice(0, piece.indexOf('='))
        if (names.has(name)) placedInputs.problems.push(`"${name}" is a credential's name and cannot be an input's`)
      }
    }
  }
}

/** Ignores inherited names such as "constructor". */
export function ownValue(input: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(input, name) ? input[name] : undefined
}

function pathInputs({ parameters, credentials }: HttpImplementation, { path }: UrlTemplate): Map<string, string> {
  const inputs = new Map(variableNames(path).map((name) => [name, name]))
  for (const each of parameters) if (each.in === 'path' && inputs.has(each.name)) inputs.set(each.name, each.input)
  for (const each of credentials) if (each.in === 'path') inputs.delete(each.name)
  return inputs
}

function credentialNames({ credentials }: HttpImplementation, place: 'query' | 'cookie'): ReadonlySet<string> {
  return new Set(credentials.flatMap((each) => (each.in === place ? [encodeStrictly(each.name)] : [])))
}
