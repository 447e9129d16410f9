import { expect } from 'vitest'
import type { Json } from '../../../src/core/tool/json.ts'
import type { Arrived } from '../../upstream.ts'
import type { ArcadeBinding, ArcadeParameter } from './arcade-binding.ts'

const NASTY = 'a b/c?d=e&f#g%20h+ü€"\\'

/** Derives the expected request from the binding alone. */
export function expectation(
  { tool_id: id, http_endpoint: endpoint }: ArcadeBinding,
  input: Readonly<Record<string, Json>>,
) {
  const { parameters, secrets } = endpoint
  const binding = { tool_id: id, http_endpoint: endpoint }
  const secretFor = (place: string, name?: string) =>
    secrets.find((each) => each.accepted_as === place && (name === undefined || each.parameter_name === name))
  const value = (each: ArcadeParameter) => input[each.tool_parameter_name] ?? each.default ?? undefined
  const given = (place: string) =>
    parameters.flatMap((each) => {
      const found = each.accepted_as === place ? value(each) : undefined
      return found === undefined ? [] : [[each.name, found] as const]
    })

  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((each) => each.accepted_as === 'path' && each.name === name)
      if (parameter) return String(value(parameter))
      return secretValue(binding, secretFor('path', name)!.arcade_key)
    })
  const [origin = '', ...segments] = endpoint.url.replace('https://', '').split('/').map(fill)
  const host = origin.replace('https://', '')

  const texts = (found: Json) => (Array.isArray(found) ? found : [found]).map(String)
  const pairs = (entries: readonly (readonly [string, Json])[]) =>
    entries.flatMap(([name, found]) => texts(found).map((text): [string, string] => [name, text]))
  const query = pairs(given('query'))
  for (const each of secrets) {
    if (each.accepted_as === 'query') query.push([each.parameter_name, secretValue(binding, each.arcade_key)])
  }

  const headers: Record<string, string> = {}
  for (const [name, text] of Object.entries(endpoint.headers)) headers[name.toLowerCase()] = text
  for (const [name, found] of given('header')) headers[name.toLowerCase()] = String(found)
  for (const each of secrets) {
    if (each.accepted_as !== 'header') continue
    const bare = each.is_auth_token ? 'user-token' : secretValue(binding, each.arcade_key)
    const shaped = each.formatted_value === null ? bare : each.formatted_value.replace('{authorization}', bare)
    headers[each.parameter_name.toLowerCase()] = shaped
  }
  const username = secretFor('basic_auth_username')
  if (username) {
    const password = secretFor('basic_auth_password')
    const pair = [username, password].map((each) => (each ? secretValue(binding, each.arcade_key) : '')).join(':')
    headers['authorization'] = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
  }

  const fields = given('body')
  const isForm = endpoint.headers['Content-Type'] === 'application/x-www-form-urlencoded'
  const whole = fields.find(([name]) => name === 'requestBody')
  const nested: Record<string, unknown> = {}
  for (const [name, found] of fields) {
    const steps = name.split('.')
    const last = steps.pop()!
    let at = nested
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>
    at[last] = found
  }
  const json = isForm || fields.length === 0 ? undefined : whole ? whole[1] : nested
  return {
    host,
    segments: ['', ...segments],
    query,
    headers,
    json,
    form: isForm && fields.length > 0 ? pairs(fields) : undefined,
  }
}

export function sample({ value_schema: schema, accepted_as: place, name }: ArcadeParameter): Json {
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  switch (schema.val_type) {
    case 'integer':
      return 42
    case 'number':
      return 2.5
    case 'boolean':
      return false
    case 'array':
      return [NASTY, 'second']
    case 'json':
      return { text: NASTY, list: [1, { deep: null }], name }
    case 'string':
      return place === 'header' ? `value of ${name}` : NASTY
  }
}

/** Returns a secret that is valid in a host if it is used there; others contain characters to encode, except in headers. */
export function secretValue({ http_endpoint: { secrets } }: ArcadeBinding, key: string): string {
  const place = secrets.find((each) => each.arcade_key === key)?.accepted_as
  if (place === 'path') return key.endsWith('SUBDOMAIN') ? 'acme-eu' : 'https://books.acme.example'
  if (place === 'header') return `secret-${key}`
  return place === 'query' ? `se/cr+et&=${key}` : `sécret ${key}`
}

export function hasDefault({ default: value }: ArcadeParameter): boolean {
  return value !== null && value !== undefined
}

/** Checks that a request is the one that the binding requires for this input. */
export function expectArrived(arrived: Arrived, binding: ArcadeBinding, input: Readonly<Record<string, Json>>): void {
  const expected = expectation(binding, input)
  expect(arrived.method).toBe(binding.http_endpoint.http_method)
  const [path = '', query = ''] = arrived.url.split('?')
  expect(path.split('/').map(decodeURIComponent)).toEqual(expected.segments)
  expect([...new URLSearchParams(query)].sort()).toEqual(expected.query.sort())
  expect(arrived.headers).toMatchObject(expected.headers)
  if (expected.json !== undefined) {
    expect(arrived.headers['content-type']).toBe('application/json')
    expect(JSON.parse(arrived.body)).toEqual(expected.json)
  } else if (expected.form !== undefined) {
    expect(arrived.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect([...new URLSearchParams(arrived.body)]).toEqual(expected.form)
  } else {
    expect(arrived.body).toBe('')
  }
}
