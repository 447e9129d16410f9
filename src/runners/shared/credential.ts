import type { Credential, RunContext } from '../../core/call/runner.ts'
import type { Json } from '../../core/tool/json.ts'
import type { DocumentReader } from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'
import type { Requirements } from '../../core/tool/tool.ts'

/** Where an implementation sends a secret or a token. `format` holds `{value}`. */
export interface CredentialPlacement<Place extends string = string> {
  readonly source: 'authorization' | 'secret'
  /** The provider's id, or the secret's. */
  readonly id: string
  readonly in: Place
  readonly name: string
  readonly format: string
}

const FIELDS = ['authorization', 'secret', 'in', 'name', 'format']

/** Reads where one secret or token goes, which is one of `places`. Fields that are `more` are left to the caller. */
export function readCredential<Place extends string>(
  document: Json | undefined,
  path: string,
  places: readonly Place[],
  reader: DocumentReader,
  more: readonly string[] = [],
): CredentialPlacement<Place> | undefined {
  const fields = reader.object(document, path, [...FIELDS, ...more])
  if (!fields) return undefined
  const { authorization, secret } = fields
  if ((authorization === undefined) === (secret === undefined)) {
    return reader.problem(path, 'wanted either "authorization" or "secret"')
  }
  const source = authorization === undefined ? 'secret' : 'authorization'
  const id = reader.string(fields[source], `${path}/${source}`)
  const place = reader.oneOf(fields['in'], `${path}/in`, places)
  const name = reader.string(fields['name'], `${path}/name`)
  if (id === undefined || place === undefined || name === undefined) return undefined
  if (place === 'basic') reader.oneOf(name, `${path}/name`, ['username', 'password'])
  const isBearer = source === 'authorization' && place === 'header' && name.toLowerCase() === 'authorization'
  const format = reader.string(fields['format'] ?? (isBearer ? 'Bearer {value}' : '{value}'), `${path}/format`)
  if (format !== undefined && !format.includes('{value}')) {
    reader.problem(`${path}/format`, 'wanted a text that holds "{value}"')
  }
  return { source, id, in: place, name, format: format ?? '{value}' }
}

/** A tool is given only the secrets and tokens that it declares. */
export function undeclaredCredential(
  { source, id }: CredentialPlacement,
  path: string,
  { secrets, authorization }: Requirements,
): Problem[] {
  const declared = source === 'secret' ? secrets : authorization
  if (declared.some((each) => each.id === id)) return []
  return [{ path: `${path}/${source}`, message: `the tool's requirements do not declare "${id}"` }]
}

/** What two placements have in common when one would overwrite the other: names of headers have no case. */
export function placeKey({ in: place, name }: { readonly in: string; readonly name: string }): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

/** A credential of one call as it is sent. Its `problem` says why it cannot be, without its value. */
export function formatCredential(
  { source, id, format }: CredentialPlacement,
  { secrets, tokens }: Pick<RunContext, 'secrets' | 'tokens'>,
):
  | (Credential & { readonly text: string; readonly problem?: never })
  | { readonly text?: never; readonly problem: string } {
  const found = (source === 'secret' ? secrets : tokens).get(id)
  if (!found) return { problem: `the ${source} "${id}" is missing` }
  if (/\p{Cc}/u.test(found.value)) return { problem: `"${id}" holds a control character` }
  return { ...found, text: format.replaceAll('{value}', () => found.value) }
}
