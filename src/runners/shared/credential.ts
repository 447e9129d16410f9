import type { Credential, Invocation } from '../../core/call/invocation.ts'
import { isObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import type { Requirements } from '../../core/tool/tool.ts'

export interface CredentialPlacement<Place extends string = string> {
  readonly source: 'authorization' | 'secret'
  readonly id: string
  /** The field of what a person entered, if only one field is sent. */
  readonly field?: string
  readonly in: Place
  readonly name: string
  readonly format: string
}

const FORMAT = json.hideValue(
  json.stringMatching("a string that holds '{value}'", (format) => format.includes('{value}')),
)

export const PLACEMENT_FIELDS = {
  authorization: json.optional(json.string({ min: 1 })),
  secret: json.optional(json.string({ min: 1 })),
  field: json.optional(json.string({ min: 1, max: 64 })),
  name: json.string({ min: 1 }),
  format: json.nullish(FORMAT),
}

export function requireOneSource<T>(
  reader: json.Reader<T>,
  more: Readonly<Record<string, json.Reader<unknown>>> = {},
): json.Reader<T> {
  const sourceless = json.object(
    {
      authorization: json.anyJson,
      secret: json.anyJson,
      field: json.anyJson,
      in: json.anyJson,
      name: json.anyJson,
      format: json.anyJson,
      ...more,
    },
    { rule: (_, report) => void json.addProblem(report, "Must have either 'authorization' or 'secret'") },
  )
  return (value, report) => {
    if (isObject(value) && value.secret !== undefined && value.field !== undefined)
      return json.addProblem(report, "Is only for an 'authorization'", '/field')
    const isSourceless = isObject(value) && (value.authorization === undefined) === (value.secret === undefined)
    if (!isSourceless) return reader(value, report)
    sourceless(value, report)
    return json.INVALID_VALUE
  }
}

export function toPlacement<Place extends string>(fields: {
  readonly authorization?: string | undefined
  readonly secret?: string | undefined
  readonly field?: string | undefined
  readonly in: Place
  readonly name: string
  readonly format?: string | undefined
}): CredentialPlacement<Place> {
  const { authorization, secret = '', field, in: place, name } = fields
  const isBearer =
    authorization !== undefined && field === undefined && place === 'header' && name.toLowerCase() === 'authorization'
  const { format = isBearer ? 'Bearer {value}' : '{value}' } = fields
  return authorization === undefined
    ? { source: 'secret', id: secret, in: place, name, format }
    : { source: 'authorization', id: authorization, ...(field === undefined ? {} : { field }), in: place, name, format }
}

/** Requires that each is declared and has its own place. `overlaps` tells whether two with one place can be in one request. */
export function rejectDuplicatePlacement<T extends CredentialPlacement>(
  reader: json.Reader<T>,
  requirements: Requirements,
  headerProblem: (name: string) => string | undefined,
  overlaps: (first: T, other: T) => boolean = () => true,
): json.Reader<T> {
  const earlierPlacements: T[] = []
  return json.transform(reader, (placement, report) => {
    const { in: place, name } = placement
    const nameProblem = place === 'header' ? headerProblem(name) : undefined
    if (nameProblem !== undefined) json.addProblem(report, nameProblem, '/name')
    rejectUndeclared(placement, requirements, report)
    if (earlierPlacements.some((other) => placeKey(placement) === placeKey(other) && overlaps(placement, other)))
      json.addProblem(report, `Must be written once, got '${name}' again`, '/name')
    earlierPlacements.push(placement)
    return placement
  })
}

export function rejectUndeclared(
  { source, id }: CredentialPlacement,
  { secrets, authorization }: Requirements,
  report: json.ReadContext,
  path = '',
): void {
  const refused = whyUndeclared(id, source === 'secret' ? secrets : authorization)
  if (refused !== undefined) json.addProblem(report, refused, `${path}/${source}`)
}

/** A tool gets only the secrets and tokens that it declares. */
export function whyUndeclared(id: string, declared: readonly { readonly id: string }[]): string | undefined {
  return declared.some((each) => each.id === id)
    ? undefined
    : `Must be declared in the tool's requirements, got '${id}'`
}

/** Header names ignore case. */
export function placeKey({ in: place, name }: { readonly in: string; readonly name: string }): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

/** A problem does not contain the credential's value. */
export function formatCredential(
  { source, id, field, format }: CredentialPlacement,
  { secrets, tokens }: Pick<Invocation, 'secrets' | 'tokens'>,
):
  | (Credential & { readonly text: string; readonly problem?: never })
  | { readonly text?: never; readonly problem: string } {
  const credential = (source === 'secret' ? secrets : tokens).get(id)
  if (!credential) return { problem: `the ${source} "${id}" is missing` }
  const { parts } = credential
  const value = field === undefined ? credential.value : parts?.get(field)?.value
  if (value === undefined) return { problem: `"${id}" has no field "${field}"` }
  if (value === '' && parts) return { problem: `"${id}" has several fields, and the implementation names none` }
  if (/\p{Cc}/u.test(value)) return { problem: `"${id}" holds a control character` }
  return { ...credential, text: format.replaceAll('{value}', () => value) }
}
