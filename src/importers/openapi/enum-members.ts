import { bigInteger } from '../../core/tool/big-integers.ts'
import { isInteger, getJsonType } from '../../core/tool/json.ts'

/**
 * Converts members of `enum` and `const` that do not have the declared type, as in `{type: string, enum: [0, 1]}` from YAML
 * without quotes. In requests, each is converted, or dropped with a warning. In responses, both forms are valid.
 */
export function fitMembers(
  schema: Record<string, unknown>,
  direction: 'request' | 'response',
  warnings: string[],
): void {
  const types = typeof schema.type === 'string' ? [schema.type] : Array.isArray(schema.type) ? schema.type : []
  const keyword = schema.enum === undefined ? 'const' : 'enum'
  const members: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [schema[keyword]]
  if (types.length === 0 || schema[keyword] === undefined || members.every((member) => hasType(member, types))) return
  const convertedMembers = members.map((member) => (hasType(member, types) ? member : convertMember(member, types)))
  if (direction === 'response') {
    delete schema.type
    delete schema.const
    schema.enum = [...new Set([...members, ...convertedMembers.filter((member) => member !== undefined)])]
    return
  }
  const sendable = [...new Set(convertedMembers.filter((member) => member !== undefined))]
  if (convertedMembers.includes(undefined)) {
    const warningStart = sendable.length === 0 ? `'${keyword}' is left out: it has` : `'${keyword}' loses`
    warnings.push(`${warningStart} members that are not of the type ${types.map((type) => `'${type}'`).join(' or ')}`)
  }
  delete schema[keyword]
  if (sendable.length > 0 && keyword === 'enum') schema.enum = sendable
  else if (sendable.length > 0) schema.const = sendable[0]
}

/** Checks for null beside members of another type, which makes the value nullable, whatever `nullable` says. */
export function hasNullMember({ type, enum: members }: Record<string, unknown>): boolean {
  return typeof type === 'string' && type !== 'null' && Array.isArray(members) && members.includes(null)
}

function hasType(member: unknown, types: readonly unknown[]): boolean {
  return member === null || types.includes(getJsonType(member)) || (isInteger(member) && types.includes('integer'))
}

function convertMember(member: unknown, types: readonly unknown[]): unknown {
  if (typeof member === 'object') return undefined
  if (types.includes('string')) return String(member)
  const isNumber = types.includes('number') || (types.includes('integer') && Number.isInteger(Number(member)))
  if (isNumber && typeof member === 'string' && /^-?\d/.test(member) && Number.isFinite(Number(member)))
    return bigInteger(member) ?? Number(member)
  if (types.includes('boolean') && (member === 'true' || member === 'false')) return member === 'true'
  return undefined
}
